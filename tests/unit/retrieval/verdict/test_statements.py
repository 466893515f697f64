"""Values in sentences."""

import pytest

from retrieval.verdict.quantities import read_quantities
from retrieval.verdict.statements import find_statements
from retrieval.verdict.words import content_words, stem


def read(text):
    return [(statement.kind, statement.value) for statement in find_statements(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The castle holds 1,240 knights.", [("knight", 1240.0)]),
        ("Die Burg hat 1.240 Ritter.", [("ritter", 1240.0)]),
        ("The castle holds 2 thousand knights.", [("knight", 2000.0)]),
        ("It costs £97.00 a piece.", [("£", 97.0)]),
        ("It costs EUR 1,200 per year.", [("€/year", 1200.0)]),
        ("It costs 90 dollars monthly.", [("$/month", 90.0)]),
        ("It was sold for €86 million.", [("€", 86_000_000.0)]),
        ("It was sold for 140 million euros.", [("€", 140_000_000.0)]),
        ("Sales rose by 2.5 % again.", [("%", 2.5)]),
        ("It ends on 31 December 2028.", [("date", "2028-12-31")]),
        ("It ends on December 31, 2028.", [("date", "2028-12-31")]),
        ("Es endet am 3. März 2028.", [("date", "2028-03-03")]),
        ("It ends on 2028-12-31.", [("date", "2028-12-31")]),
        ("It was founded in 1987.", [("calendar year", "1987")]),
        ("Doors open at 6:30.", [("clock", "06:30")]),
        ("Doors close at 6:30 pm.", [("clock", "18:30")]),
        ("Within fourteen days.", [("time", 14.0)]),
        ("A 30-day trial.", [("time", 30.0)]),
        ("It lasts 2 weeks.", [("time", 14.0)]),
        ("It takes 5 working days.", [("working time", 5.0)]),
        ("It takes at least 3 days.", [("time at least", 3.0)]),
        ("It takes up to 3 days.", [("time at most", 3.0)]),
        ("It weighs 0.8 tonnes.", [("mass", 800.0)]),
        ("It takes 3 to 5 weeks.", []),
        ("It takes between 3 and 5 weeks.", []),
        ("The Skerry 200 pump.", []),
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
    assert bridge.words == {"bridg", "question"}
    assert (castle.words, castle.shown) == ({"castl", "hold", "knight"}, "40 knights")


def test_find_statements__what_stands_beside_a_value():
    price, weight = find_statements("A parcel of 2 kg costs €4.90.")
    assert [(found.kind, found.value) for found in price.beside] == [("mass", 2.0)]
    assert [(found.kind, found.value) for found in weight.beside] == [("€", 4.9)]
    assert price.rest.split() == ["A", "parcel", "of", "#", "costs", "#", "."]


def test_read_quantities__what_is_no_number_stays_in_the_text():
    found, rest = read_quantities("Firmware 1.14.2 of 12 March.")
    assert found == []
    assert "1.14.2" in rest


def test_content_words__longer_ones_that_mean_something():
    text = "When do the Knights of the ROUND table sit with Arthur's brother?"
    assert content_words(text) == {"knight", "round", "tabl", "arthur", "brother"}


@pytest.mark.parametrize(
    ("word", "root"),
    [
        ("employs", "employ"),
        ("employed", "employ"),
        ("prices", "pric"),
        ("price", "pric"),
        ("bus", "bus"),
        ("was", "was"),
    ],
)
def test_stem__one_ending(word, root):
    assert stem(word) == root
