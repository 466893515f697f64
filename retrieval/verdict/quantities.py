"""Reads values in a sentence: amounts, shares, measures, counts, dates, times. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from retrieval.verdict.words import FUNCTION_WORDS, stem

_NUMBER = r"\d(?:[\d,.]*\d)?"
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_GROUPED_BY_POINTS = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?")
_DECIMAL = re.compile(r"\d+(?:[.,]\d+)?")
# fmt: off
_WRITTEN = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "fourteen": 14, "fifteen": 15, "eighteen": 18,
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90,
}
_SCALES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "bn": 1e9, "billion": 1e9}
_CURRENCIES = {
    "$": "$", "dollar": "$", "usd": "$", "€": "€", "euro": "€", "eur": "€",
    "£": "£", "pound": "£", "gbp": "£", "¥": "¥", "yen": "¥", "jpy": "¥",
}
# Units by the quantity they measure, with their size in its smallest or most usual one.
_UNITS = {
    "minute": ("time", 1 / 1440), "min": ("time", 1 / 1440), "hour": ("time", 1 / 24),
    "day": ("time", 1.0), "week": ("time", 7.0), "month": ("time", 30.4), "year": ("time", 365),
    "kg": ("mass", 1.0), "kilogram": ("mass", 1.0), "tonne": ("mass", 1e3),
    "mb": ("memory", 1e-3), "gb": ("memory", 1.0), "tb": ("memory", 1e3),
    "mm": ("length", 1e-3), "cm": ("length", 1e-2), "metre": ("length", 1.0),
    "meter": ("length", 1.0), "km": ("length", 1e3),
    "litre": ("volume", 1.0), "liter": ("volume", 1.0), "ml": ("volume", 1e-3),
    "kw": ("power", 1.0), "mw": ("power", 1e3), "°c": ("°c", 1.0), "°f": ("°f", 1.0),
}
# fmt: on
LEAST_NOUN = 4

_MONTH_NAMES = (
    ("january", "jan", "januar", "janvier"),
    ("february", "feb", "februar", "février"),
    ("march", "mar", "märz", "mars"),
    ("april", "apr", "avril"),
    ("may", "mai"),
    ("june", "jun", "juni", "juin"),
    ("july", "jul", "juli", "juillet"),
    ("august", "aug", "août"),
    ("september", "sep", "sept", "septembre"),
    ("october", "oct", "oktober", "octobre"),
    ("november", "nov", "novembre"),
    ("december", "dec", "dezember", "décembre"),
)
MONTHS = {name: month for month, names in enumerate(_MONTH_NAMES, start=1) for name in names}
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_DATE = re.compile(
    r"\b(?P<iso>\d{4}-\d{2}-\d{2})\b"
    rf"|\b(?P<day>\d{{1,2}})\.? (?P<month>{_MONTH})\.? (?P<year>\d{{4}})\b"
    rf"|\b(?P<month_first>{_MONTH})\.? (?P<day_second>\d{{1,2}}), (?P<year_last>\d{{4}})\b",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"(?<![\d:])(?P<hour>[01]?\d|2[0-4]):(?P<minute>[0-5]\d)(?![\d:])(?:\s?(?P<half>[ap]m)\b)?",
    re.IGNORECASE,
)
_YEAR = re.compile(
    r"\b(?:in|since|seit|im jahr|en|depuis) (?P<year>(?:1[5-9]|20)\d\d)\b", re.IGNORECASE
)
_RANGE = re.compile(
    rf"\bbetween {_NUMBER}\s?%? and {_NUMBER}|(?<![\w.,]){_NUMBER}\s?%?\s?(?:-|–|to|or|bis)\s?"  # noqa: RUF001 # as typed
    rf"{_NUMBER}(?![\w-])"
)
_SCALE = r"(?:\s?(?P<scale>k|m|bn|thousand|million|billion)\b)?"
_SIGNED = re.compile(
    rf"(?P<currency>[$£€¥]|\b(?:EUR|USD|GBP|JPY)\b)\s?(?P<number>{_NUMBER}){_SCALE}"
)
_NAMED = re.compile(
    rf"(?<![\w.,-])(?P<number>{_NUMBER}){_SCALE}\s?"
    r"(?P<currency>€|£|\$|(?:euro|dollar|pound)s?\b|EUR\b|USD\b|GBP\b|JPY\b|yen\b)",
    re.IGNORECASE,
)
_SHARE = re.compile(rf"(?<![\w.,-])(?P<number>{_NUMBER})\s?(?:%|percent\b|per cent\b)")
_MEASURE = re.compile(
    rf"(?<![\w.,$£€¥/-])(?P<number>{_NUMBER}|(?:{'|'.join(_WRITTEN)})\b)"
    r"(?:\s(?P<scale>thousand|million|billion))?"
    r"[\s-]?(?:(?P<sort>working|business)\s)?(?P<unit>°[CF]\b|[^\W\d_]{2,})",
    re.IGNORECASE,
)
_BOUND = re.compile(
    r"(?P<least>at least|more than|over|above|minimum of|from|mindestens)"
    r"|(?P<most>at most|less than|under|below|up to|maximum of|höchstens|bis zu)",
    re.IGNORECASE,
)
_LOOK_BACK = 16
_PER = re.compile(
    r"\s?(?:/\s?|(?:per|pro|par|each|every) |an? (?=(?:hour|day|week|month|year)\b))"
    r"(?P<unit>[^\W\d_]+)|\s(?P<adverb>hourly|daily|weekly|monthly|yearly|annually)\b",
    re.IGNORECASE,
)
_ADVERBS = {"daily": "day", "annually": "year"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A value; `kind` tells what it can be compared with, `shown` how it was written."""

    kind: str
    value: float | str
    shown: str


def read_quantities(sentence: str) -> tuple[list[Quantity], str]:
    """Return the values of a sentence, and the sentence without them.

    What one reading took, no other reads. Ranges are no values. What is per something, and what is
    a lower or an upper bound, is of a kind of its own.
    """
    found: list[Quantity] = []
    rest = sentence
    for pattern, read in (
        (_DATE, _date),
        (_CLOCK, _clock),
        (_YEAR, _year),
        (_RANGE, _nothing),
        (_SIGNED, _amount),
        (_NAMED, _amount),
        (_SHARE, _share),
        (_MEASURE, _measure),
    ):
        matches = [(match, read(match)) for match in pattern.finditer(rest)]
        found += [quantity for _, quantity in matches if quantity is not None]
        taken = [match for match, quantity in matches if quantity is not None or read is _nothing]
        rest = "".join(_without(rest, taken))
    return found, rest


def _without(text: str, matches: list[re.Match[str]]) -> Iterator[str]:
    start = 0
    for match in matches:
        yield text[start : match.start()]
        yield " # "
        start = match.end()
    yield text[start:]


def _nothing(_match: re.Match[str]) -> None:
    return None


def _date(match: re.Match[str]) -> Quantity:
    value = match["iso"]
    if not value:
        month = MONTHS[(match["month"] or match["month_first"]).casefold()]
        day = int(match["day"] or match["day_second"])
        value = f"{match['year'] or match['year_last']}-{month:02}-{day:02}"
    return Quantity(kind="date", value=value, shown=match.group())


def _clock(match: re.Match[str]) -> Quantity:
    hour = int(match["hour"])
    half = (match["half"] or "").casefold()
    hour = hour % 12 + (12 if half == "pm" else 0) if half else hour
    return Quantity(kind="clock", value=f"{hour:02}:{match['minute']}", shown=match.group())


def _year(match: re.Match[str]) -> Quantity:
    return Quantity(kind="calendar year", value=match["year"], shown=match["year"])


def _amount(match: re.Match[str]) -> Quantity | None:
    currency = match["currency"].strip().casefold().removesuffix("s")
    return _quantity(match, kind=_CURRENCIES[currency])


def _share(match: re.Match[str]) -> Quantity | None:
    return _quantity(match, kind="%")


def _measure(match: re.Match[str]) -> Quantity | None:
    unit = match["unit"].casefold()
    known = _UNITS.get(unit) or _UNITS.get(unit.removesuffix("s"))
    if known is not None:
        quantity, size = known
        sort = f"{match['sort'].casefold()} " if match["sort"] else ""
        return _quantity(match, kind=sort + quantity, size=size)
    is_noun = len(unit) >= LEAST_NOUN and unit not in FUNCTION_WORDS | MONTHS.keys()
    if not is_noun or _is_model_number(match):
        return None
    return _quantity(match, kind=stem(unit))


def _is_model_number(match: re.Match[str]) -> bool:
    """Whether the number belongs to a name before it, as in "the Skerry 200 pump"."""
    before = match.string[: match.start()].split()
    return bool(before) and before[-1][0].isupper() and before[-1].casefold() not in FUNCTION_WORDS


def _quantity(match: re.Match[str], *, kind: str, size: float = 1.0) -> Quantity | None:
    number = _number(match)
    if number is None:
        return None
    kind = f"{kind}{_per(match)}{_bound(match)}"
    return Quantity(kind=kind, value=number * size, shown=match.group().strip())


def _number(match: re.Match[str]) -> float | None:
    """Return the number; None for a version, an address or anything else that is none."""
    groups = match.groupdict()
    digits = groups["number"].casefold()
    if digits in _WRITTEN:
        return float(_WRITTEN[digits])
    if _GROUPED.fullmatch(digits):
        digits = digits.replace(",", "")
    elif _GROUPED_BY_POINTS.fullmatch(digits):
        digits = digits.replace(".", "").replace(",", ".")
    elif _DECIMAL.fullmatch(digits):
        digits = digits.replace(",", ".")
    else:
        return None
    return float(digits) * _SCALES.get((groups.get("scale") or "").casefold(), 1.0)


def _bound(match: re.Match[str]) -> str:
    before = match.string[max(match.start() - _LOOK_BACK, 0) : match.start()]
    bounds = [found for found in _BOUND.finditer(before) if not before[found.end() :].strip()]
    if not bounds:
        return ""
    return " at least" if bounds[-1]["least"] else " at most"


def _per(match: re.Match[str]) -> str:
    per = _PER.match(match.string, match.end())
    if per is None:
        return ""
    if per["unit"]:
        return f"/{per['unit'].casefold().removesuffix('s')}"
    adverb = per["adverb"].casefold()
    return f"/{_ADVERBS.get(adverb, adverb.removesuffix('ly'))}"
