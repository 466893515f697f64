"""Values in sentences."""

import pytest

from retrieval.verdict.statements import content_words, find_statements


def read(text):
    return [(statement.kind, statement.value) for statement in find_statements(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The castle holds 1,240 knights.", [("knight", 1240.0)]),
        ("Die Burg hat 1.240 Ritter.", [("ritter", 1240.0)]),
        ("It costs £97.00 a piece.", [("£", 97.0)]),
        ("It was sold for €86 million.", [("€", 86_000_000.0)]),
        ("It was sold for 140 million euros.", [("€", 140_000_000.0)]),
        ("Sales rose by 2.5 % again.", [("%", 2.5)]),
        ("It ends on 31 December 2028.", [("date", "2028 dec 31")]),
        ("It ends on December 31, 2028.", [("date", "2028 dec 31")]),
        ("It ends on 2028-12-31.", [("date", "2028-12-31")]),
        ("Version 4.2.1 firmware of KX-4471-B units.", []),
        ("In 10 knights there are 20 knights.", []),
        ("Nothing is counted here.", []),
    ],
)
def test_find_statements__kind_and_value(text, found):
    assert read(text) == found


def test_find_statements__each_sentence_is_its_own():
    text = "The bridge has 3 questions.\nThe castle holds 40 knights."
    bridge, castle = find_statements(text)
    assert bridge.words == {"bridge", "question"}
    assert (castle.words, castle.shown) == ({"castle", "hold", "knight"}, "40 knights")


def test_content_words__longer_ones_without_plural():
    assert content_words("Do the Knights of the ROUND table sit?") == {"knight", "round", "table"}
