"""The language of a question."""

from retrieval.search.language import tell_language
from retrieval.search.terms import Reading, Term, TermSet


def read(language, *frequencies):
    """Return a question as a configuration reads it: None is a stop word, 0 a stem nobody uses."""
    return TermSet(
        language=language,
        language_size=10,
        corpus_size=20,
        terms=tuple(
            Term(word=place, reading=Reading.WORD, lexeme=f"w{place}", document_frequency=count)
            for place, count in enumerate(frequencies, start=1)
            if count is not None
        ),
    )


def test_tell_language__the_one_that_knows_most_words():
    german, english = read("german", None, None, 3, 0), read("english", 0, 0, 0, 0)
    assert tell_language([english, german], word_count=4) == "german"


def test_tell_language__not_where_none_leads():
    assert tell_language([read("german", 1, 0), read("english", 0, 1)], word_count=2) == ""
    assert tell_language([read("german", 0, 0), read("english", 0, 0)], word_count=2) == ""
    assert tell_language([read("english", None, 3)], word_count=2) == ""
    assert tell_language([read("simple", 1, 1), read("english", None, 3)], word_count=2) == ""
    assert tell_language([], word_count=0) == ""
