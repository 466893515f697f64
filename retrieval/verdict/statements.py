"""Finds in a text what states a value: a number with its unit, an amount, a date. Pure."""

import re
import unicodedata
from dataclasses import dataclass

LEAST_WORD = 4
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|[\n|;]+")
_WORD = re.compile(r"[^\W\d_][\w'-]*")
_NUMBER = r"\d(?:[\d,.]*\d)?"
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_GROUPED_BY_POINTS = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?")
_DECIMAL = re.compile(r"\d+(?:[.,]\d+)?")
_CURRENCIES = {"dollar": "$", "euro": "€", "pound": "£"}
_SCALES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "bn": 1e9, "billion": 1e9}
_DATE = re.compile(
    r"\b(?P<iso>\d{4}-\d{2}-\d{2})\b"
    r"|\b(?P<day>\d{1,2})\.? (?P<month>[^\W\d_]{3,9}) (?P<year>\d{4})\b"
    r"|\b(?P<month_first>[^\W\d_]{3,9}) (?P<day_second>\d{1,2}), (?P<year_last>\d{4})\b"
)
_AMOUNT = re.compile(
    rf"(?P<sign>[$£€¥])\s?(?P<number>{_NUMBER})(?:\s?(?P<scale>k|m|bn|thousand|million|billion)\b)?"
)
_SHARE = re.compile(rf"(?<![\w.,-])(?P<number>{_NUMBER})\s?(?:%|percent\b|per cent\b)")
_MEASURE = re.compile(
    rf"(?<![\w.,$£€¥/-])(?P<number>{_NUMBER})(?:\s(?P<scale>thousand|million|billion))?"
    r"\s(?P<unit>[^\W\d_]{4,})"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A value in a sentence that has one of its `kind`; `shown` is as it was written."""

    kind: str
    value: float | str
    shown: str
    words: frozenset[str]


def find_statements(text: str) -> list[Statement]:
    """Return the values of each sentence, less those of a kind that the sentence has twice."""
    statements = []
    for sentence in _SENTENCE_END.split(unicodedata.normalize("NFKC", text)):
        words = content_words(sentence)
        found = _values(sentence)
        kinds = [kind for kind, _, _ in found]
        statements += [
            Statement(kind=kind, value=value, shown=shown, words=words)
            for kind, value, shown in found
            if kinds.count(kind) == 1
        ]
    return statements


def content_words(text: str) -> frozenset[str]:
    """Return the longer words of a text, folded and without a plural s."""
    words = (word.casefold() for word in _WORD.findall(text))
    return frozenset(word.removesuffix("s") for word in words if len(word) >= LEAST_WORD)


def _values(sentence: str) -> list[tuple[str, float | str, str]]:
    """Return (kind, value, as written) of each value; what one reading took, no other reads."""
    found: list[tuple[str, float | str | None, str]] = [
        ("date", _day(match), match.group()) for match in _DATE.finditer(sentence)
    ]
    rest = _DATE.sub(" ", sentence)
    found += [(match["sign"], _number(match), match.group()) for match in _AMOUNT.finditer(rest)]
    rest = _AMOUNT.sub(" ", rest)
    found += [("%", _number(match), match.group()) for match in _SHARE.finditer(rest)]
    rest = _SHARE.sub(" ", rest)
    found += [(_unit(match), _number(match), match.group()) for match in _MEASURE.finditer(rest)]
    return [(kind, value, shown) for kind, value, shown in found if value is not None]


def _unit(match: re.Match[str]) -> str:
    unit = match["unit"].casefold().removesuffix("s")
    return _CURRENCIES.get(unit, unit)


def _number(match: re.Match[str]) -> float | None:
    """Return the number; None for a version, an address or anything else that is none."""
    groups = match.groupdict()
    digits = groups["number"]
    if _GROUPED.fullmatch(digits):
        digits = digits.replace(",", "")
    elif _GROUPED_BY_POINTS.fullmatch(digits):
        digits = digits.replace(".", "").replace(",", ".")
    elif _DECIMAL.fullmatch(digits):
        digits = digits.replace(",", ".")
    else:
        return None
    return float(digits) * _SCALES.get(groups.get("scale") or "", 1.0)


def _day(match: re.Match[str]) -> str:
    if match["iso"]:
        return match["iso"]
    day = match["day"] or match["day_second"]
    month = (match["month"] or match["month_first"])[:3].casefold()
    return f"{match['year'] or match['year_last']} {month} {int(day)}"
