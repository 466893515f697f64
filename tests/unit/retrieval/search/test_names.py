"""Names among the terms of a question."""

import pytest

from retrieval.search.names import name_places, without_names
from retrieval.search.terms import Reading, Term, TermSet


@pytest.mark.parametrize(
    ("question", "names", "places"),
    [
        ("Who rules Castle Anthrax?", ["Castle Anthrax"], {3, 4}),
        ("Who is Sir Robin’s minstrel?", ["Sir Robin"], {3, 4}),
        ("“Camelot”, or camelot?", ["Camelot"], {1, 3}),
        ("Is Camelot a model?", ["Camelot", "Sir Robin"], {2}),
        ("Is it only a model?", [], set()),
        ("Castle of Anthrax", ["Castle Anthrax"], set()),
    ],
)
def test_name_places__in_order_and_whole(question, names, places):
    assert name_places(question, names) == places


def test_without_names__keeps_the_other_terms():
    rules, castle, anthrax = (
        Term(word=place, reading=Reading.WORD, lexeme=lexeme, document_frequency=1)
        for place, lexeme in enumerate(("rule", "castl", "anthrax"), start=2)
    )
    given = TermSet(
        language="english", language_size=9, corpus_size=9, terms=(rules, castle, anthrax)
    )
    left = without_names(given, "Who rules Castle Anthrax?", ["Castle Anthrax"])
    assert left.terms == (rules,)
    assert without_names(given, "Who rules Castle Anthrax?", []) == given
