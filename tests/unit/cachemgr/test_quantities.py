"""Quantities: numbers with units, dates and identifiers, each from the words."""

import pytest

from cachemgr.quantities import read_dates, read_identifiers, read_numbers
from cachemgr.words import split_words


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("10kg or 20%", ["10 kg", "20%"]),
        ("$1,000", ["1000 usd"]),
        ("the second of two", ["2nd", "2"]),
    ],
)
def test_read_numbers(text, numbers):
    assert list(read_numbers(list(split_words(text)))) == numbers


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("last week", ["~last week"]),
        ("in May or on Monday", ["may", "mon"]),
        ("you may", []),
        ("Q3", ["q3"]),
        ("every quarter", ["quarter"]),
        ("yesterday", ["~yesterday"]),
    ],
)
def test_read_dates(text, dates):
    assert list(read_dates(list(split_words(text)))) == dates


@pytest.mark.parametrize(
    ("text", "identifiers"),
    [
        ("INC-98765 runs C++", ["inc-98765", "c++"]),
        ("a.lee@north.example", ["a.lee@north.example"]),
    ],
)
def test_read_identifiers(text, identifiers):
    assert list(read_identifiers(list(split_words(text)))) == identifiers
