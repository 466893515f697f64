"""Tells whether a question can be understood without what was said before it."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from cachemgr.language import detect_language
from cachemgr.vocabulary.references import (
    GREETINGS,
    NO_REFERENCES,
    ORDINALS,
    REFERENCES,
    References,
)
from cachemgr.words import split_words
from knowledge.lexical import normalise_text

_SENTENCE = re.compile(r"[?!;\n¿¡]+|(?<!\b\w)\.(?!\w)|:(?!\w)")
_INVERTED = re.compile(r"(?<=\w)-(?:t-)?(?=(?:ils?|elles?|on|vous|nous|je|tu|ce|lui|leur|moi)\b)")
_CLAUSE = re.compile(r"[,()\u2013\u2014]| - ")
_PLURAL = re.compile(r"[a-zà-ÿ]{2,}[^\Wsiu]s")


def depends_on_conversation(question: str) -> bool:
    """Tell whether a question points at, or goes on from, something said before it.

    "And for them?", "How much is it?", "What about the second one?" do; "When a customer cancels,
    what do they get?" does not. In doubt it does. English, German, French, Spanish.
    """
    sentences = list(_sentences(question))
    if not sentences:
        return True
    language = detect_language(question)
    known = [REFERENCES[language]] if language else list(REFERENCES.values())
    return any(
        _is_fragment(sentences, references) or _points_back(sentences, references)
        for references in known
    )


def _sentences(question: str) -> Iterator[list[list[str]]]:
    """Yield sentences as clauses of words, as typed; greetings are left out."""
    text = _INVERTED.sub(" ", normalise_text(question))
    for sentence in _SENTENCE.split(text):
        clauses = [
            [word.text for word in split_words(clause)] for clause in _CLAUSE.split(sentence)
        ]
        clauses = [clause for clause in clauses if not GREETINGS.issuperset(map(str.lower, clause))]
        if clauses:
            yield clauses


def _is_fragment(sentences: Sequence[Sequence[Sequence[str]]], references: References) -> bool:
    """Tell whether the first sentence goes on from another, or says too little to stand alone."""
    typed = [word for clause in sentences[0] for word in clause]
    words = [word.lower() for word in typed]
    if words[0] in references.continuations:
        return True
    every = {word.lower() for sentence in sentences for clause in sentence for word in clause}
    if words[0] in references.prepositions and not references.askers & every:
        return True
    if _follow_ups(references).search(" ".join(words).replace("-", " ")):
        return True
    return all(_is_empty(word, references) for word in typed)


def _is_empty(word: str, references: References) -> bool:
    """Tell whether a word names nothing: "US" does, "us" does not."""
    is_acronym = len(word) > 1 and word.isupper() and word.isalpha()
    lowered = word.lower().removesuffix("'s").removesuffix("n't")
    return not is_acronym and (
        lowered in references.function_words
        or lowered in references.pointed_periods
        or lowered in ORDINALS
        or not any(map(str.isalpha, lowered))
        or re.fullmatch(r"[qh][1-4]", lowered) is not None
    )


def _points_back(sentences: Sequence[Sequence[Sequence[str]]], references: References) -> bool:
    """Tell whether a pronoun has nothing in the question that it could stand for."""
    is_named = False
    for sentence in sentences:
        text = " ".join(word.lower() for clause in sentence for word in clause)
        is_empty_subject = _empty_subjects(references).search(text) is not None
        for clause in _clauses(sentence, references):
            is_resolved = is_named or is_empty_subject
            for position in range(len(clause)):
                if _is_name(clause, position, references):
                    is_named = True
                elif _lacks_name(
                    clause, position, references, is_named=is_named, is_resolved=is_resolved
                ):
                    return True
    return False


def _lacks_name(
    clause: Sequence[str],
    position: int,
    references: References,
    *,
    is_named: bool,
    is_resolved: bool,
) -> bool:
    """Tell whether a word points at something that was not named.

    `is_named` tells whether something was named before the word, `is_resolved` whether that was
    before its clause: a pronoun cannot stand for a thing in its own clause, a possessive can.
    """
    word = clause[position].lower().removesuffix("'s")
    if clause[position] in NO_REFERENCES:
        return False
    if _is_pointer(clause, position, references):
        after = clause[position + 1].lower() if position + 1 < len(clause) else ""
        return not (is_resolved or after in references.pointed_periods)
    if word in references.possessives:
        return not is_named
    return word in references.pronouns and not is_resolved


def _clauses(sentence: Sequence[Sequence[str]], references: References) -> Iterator[Sequence[str]]:
    """Yield the clauses, also those that no comma divides."""
    for words in sentence:
        start = 0
        for position in range(1, len(words)):
            if _begins_clause(words, position, references):
                yield words[start:position]
                start = position
        yield words[start:]


def _begins_clause(words: Sequence[str], position: int, references: References) -> bool:
    word = words[position].lower()
    after = words[position + 1].lower() if position + 1 < len(words) else ""
    if word in references.boundaries:
        return not _is_pointer(words, position, references)
    if word in references.subjects:
        return words[position - 1].lower() not in references.askers
    return word in references.joints and (
        after in references.askers or after in references.pronouns
    )


def _is_pointer(words: Sequence[str], position: int, references: References) -> bool:
    """Tell whether a word points ("is that included?") rather than joins ("the plan that ...")."""
    word = words[position].lower()
    if word not in references.joining_pointers:
        return word in references.pointers
    before = words[position - 1].lower() if position else ""
    after = words[position + 1].lower() if position + 1 < len(words) else ""
    if not before or not after:
        return True
    return before in references.asked_of and after not in references.prepositions


def _is_name(clause: Sequence[str], position: int, references: References) -> bool:
    """Tell whether a word names something that a later pronoun may stand for."""
    word = clause[position]
    lowered = word.lower()
    if lowered in references.function_words or not word[0].isalpha():
        return False
    before = clause[position - 1].lower() if position else ""
    if before in references.determiners or word[1:] != word[1:].lower():
        return True
    if not position:
        after = clause[1].lower() if len(clause) > 1 else ""
        return word[0].isupper() and (after in references.askers or after.endswith("s"))
    if word[0].isupper() or _PLURAL.fullmatch(lowered) is not None:
        return True
    is_last = position == len(clause) - 1
    return is_last and (before in references.asked_of or before not in references.function_words)


@lru_cache(maxsize=16)
def _follow_ups(references: References) -> re.Pattern[str]:
    return re.compile(references.follow_ups, re.VERBOSE)


@lru_cache(maxsize=16)
def _empty_subjects(references: References) -> re.Pattern[str]:
    return re.compile(references.empty_subjects, re.VERBOSE)
