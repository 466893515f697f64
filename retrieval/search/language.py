"""Tells the language of a question by which text search configuration knows its words. Pure."""

from collections.abc import Sequence

from retrieval.search.terms import Reading, TermSet

# Names and codes belong to no language, so a part of the words suffices.
LEAST_KNOWN = 0.5
LEAST_LEAD = 0.2
_NO_LANGUAGE = "simple"


def tell_language(questions: Sequence[TermSet], *, word_count: int) -> str:
    """Return the configuration that knows clearly most of the words; empty where none does.

    It knows its stop words, which it drops, and the stems that its documents hold. Of one
    configuration alone nothing can be told.
    """
    shares = sorted(
        (
            (_known_share(question, word_count), question.language)
            for question in questions
            if question.language != _NO_LANGUAGE
        ),
        reverse=True,
    )
    if len(shares) < 2 or not word_count:  # noqa: PLR2004 # one to compare with
        return ""
    (first, language), (second, _) = shares[:2]
    return language if first >= LEAST_KNOWN and first - second >= LEAST_LEAD else ""


def _known_share(question: TermSet, word_count: int) -> float:
    read = [term for term in question.terms if term.reading is Reading.WORD]
    unknown = {term.word for term in read} - {term.word for term in read if term.document_frequency}
    return (word_count - len(unknown)) / max(word_count, 1)
