"""Other ways to write quarters, halves, fiscal years and months: `Q3`, third quarter. Pure."""

import re
from collections.abc import Iterator, Sequence

from retrieval.query.synonyms import fold_words
from retrieval.understanding import Expansion

HALVES = 2
_ORDINALS = ("first", "second", "third", "fourth")
_SHORT_ORDINALS = ("1st", "2nd", "3rd", "4th")
_PARTS = {"q": "quarter", "h": "half"}
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_SHORT_MONTHS = {name[:3]: name for name in _MONTHS} | {"sept": "september"}
# Q3, 3Q, H1, 3Q24, Q3FY24, Q3'24
_PART = re.compile(r"(?:([qh])([1-4])|([1-4])([qh]))(?:(?:fy)?['\u2019]?((?:20)?\d\d))?")
_FISCAL = re.compile(r"fy['\u2019]?((?:20)?\d\d)")
_YEAR = re.compile(r"(?:20)?\d\d")
_DAY_OR_YEAR = re.compile(r"(?:20)?\d\d?(?:st|nd|rd|th)?")


def find_wordings(topic: str) -> list[Expansion]:
    """Return the other wordings of such periods in the topic, in its order."""
    words = fold_words(topic)
    return [
        Expansion(places=tuple(range(start + 1, start + 1 + length)), text=text, is_taught=False)
        for start in range(len(words))
        for read in (_abbreviated, _spelt_out, _fiscal_year, _month)
        for length, text in read(words, start)
    ]


def _abbreviated(words: Sequence[str], start: int) -> Iterator[tuple[int, str]]:
    match = _PART.fullmatch(words[start])
    if match is None:
        return
    letter, number = match[1] or match[4], int(match[2] or match[3])
    if letter == "h" and number > HALVES:
        return
    year = match[5]
    fiscal = f" FY{year[-2:]}" if year else ""
    yield 1, f"{_ORDINALS[number - 1]} {_PARTS[letter]}{fiscal}"
    if words[start] != f"{letter}{number}":
        yield 1, f"{letter.upper()}{number}{fiscal}"


def _spelt_out(words: Sequence[str], start: int) -> Iterator[tuple[int, str]]:
    ordinal, following = words[start], words[start + 1 : start + 2]
    for letter, part in _PARTS.items():
        for names in (_ORDINALS, _SHORT_ORDINALS):
            if following == [part] and ordinal in names[: None if letter == "q" else HALVES]:
                yield 2, f"{letter.upper()}{names.index(ordinal) + 1}"


def _fiscal_year(words: Sequence[str], start: int) -> Iterator[tuple[int, str]]:
    match = _FISCAL.fullmatch(words[start])
    if match is not None:
        yield 1, f"fiscal {2000 + int(match[1]) % 100}"
        return
    if words[start] != "fiscal":
        return
    length = 3 if words[start + 1 : start + 2] == ["year"] else 2
    year = words[start + length - 1 : start + length]
    if year and _YEAR.fullmatch(year[0]):
        yield length, f"FY{int(year[0]) % 100:02}"


def _month(words: Sequence[str], start: int) -> Iterator[tuple[int, str]]:
    """Only beside a day or a year: `Jan` is also a name, `may` a verb."""
    beside = [*words[max(start - 1, 0) : start], *words[start + 1 : start + 2]]
    if not any(map(_DAY_OR_YEAR.fullmatch, beside)):
        return
    word = words[start]
    if word in _SHORT_MONTHS and _SHORT_MONTHS[word] != word:
        yield 1, _SHORT_MONTHS[word]
    elif word in _MONTHS:
        yield from ((1, short) for short, name in _SHORT_MONTHS.items() if name == word != short)
