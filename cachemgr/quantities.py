"""Reads numbers with their units, dates, periods and identifiers from the words of a question."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from cachemgr.vocabulary.connectives import APPROXIMATELY, EXACTLY
from cachemgr.vocabulary.quantities import (
    AMBIGUOUS_CALENDAR_WORDS,
    CALENDAR_WORDS,
    NUMBER_WORDS,
    PERIOD_ADVERBS,
    PERIODS,
    RELATIVE_DAYS,
    RELATIVE_PERIODS,
    UNITS,
)
from cachemgr.words import Word, stem_of

_NUMBER = re.compile(r"[-+]?\d+(?:[.,:/]\d+)*%?")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_NUMBER_WITH_UNIT = re.compile(r"(\d+(?:\.\d+)?)([a-z]{1,4})")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)")
_CODE = re.compile(r"[@/_#+]|\w\.\w|\w:\w")
_CURRENCY = {"$": "usd", "€": "eur", "£": "gbp", "¥": "jpy"}


def read_numbers(words: Sequence[Word]) -> Iterator[str]:
    """Yield each number with its unit, in order: which number belongs where is part of it."""
    for position, word in enumerate(words):
        value = value_of(word)
        if value:
            before = words[position - 1].text if position else ""
            after = words[position + 1].stem if position + 1 < len(words) else ""
            unit = _CURRENCY.get(before) or (after if after in _unit_stems() else "")
            yield f"{_about(before)}{value} {unit}".strip()


def _about(before: str) -> str:
    """Return what makes a number a rough or an exact one."""
    if before.lower() in APPROXIMATELY:
        return "~"
    return "=" if before.lower() in EXACTLY else ""


def value_of(word: Word) -> str:
    """Return the number that a word says, "" if none; "10kg" says "10 kg"."""
    lowered = _THOUSANDS.sub("", word.text.lower())
    if _NUMBER.fullmatch(lowered) or _ORDINAL.fullmatch(lowered):
        return lowered.removeprefix("+")
    measured = _NUMBER_WITH_UNIT.fullmatch(lowered)
    if measured and measured[2] in UNITS:
        return f"{measured[1]} {measured[2]}"
    return NUMBER_WORDS.get(lowered, "")


def read_dates(words: Sequence[Word]) -> Iterator[str]:
    """Yield the dates and periods; "~" marks one that counts from the day of asking."""
    for before, word in pairwise([None, *words]):
        if word is None:
            continue
        lowered = word.text.lower()
        preceding = before.text.lower() if before else ""
        is_calendar = lowered in CALENDAR_WORDS and (
            lowered not in AMBIGUOUS_CALENDAR_WORDS or word.text[0].isupper()
        )
        is_period = word.stem in _period_stems()
        if preceding in RELATIVE_PERIODS and (is_calendar or is_period):
            yield f"~{preceding} {word.stem}"
        elif lowered in RELATIVE_DAYS:
            yield f"~{lowered}"
        elif is_calendar and not (word.is_opener and lowered in AMBIGUOUS_CALENDAR_WORDS):
            yield lowered[:3] if lowered.isalpha() else lowered
        elif is_period or lowered in PERIOD_ADVERBS:
            yield word.stem


def read_identifiers(words: Sequence[Word]) -> Iterator[str]:
    """Yield codes, addresses, versions and names such as C++: what a vector hardly sees."""
    for word in words:
        lowered = word.lowered
        has_digit = any(map(str.isdigit, lowered))
        has_letter = any(map(str.isalpha, lowered))
        if value_of(word):
            continue
        if (has_digit and has_letter) or _CODE.search(lowered):
            yield lowered


@lru_cache(maxsize=1)
def _unit_stems() -> frozenset[str]:
    return frozenset(map(stem_of, UNITS))


@lru_cache(maxsize=1)
def _period_stems() -> frozenset[str]:
    return frozenset(map(stem_of, PERIODS))
