"""Finds the periods a question names. Pure."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4}
_MONTH = rf"(?P<month>{'|'.join(f'{name}|{name[:3]}' for name in _MONTHS)})\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
# Other years are rather part of a code, and the ends of the calendar have no day beside them.
_CENTURY = r"(?:19|20)"
_YEAR = rf"(?P<year>{_CENTURY}\d\d)"
_FISCAL = r"(?P<fiscal>FY|fiscal(?: year)?) ?'?(?P<fiscal_year>(?:20)?\d\d)"
_QUARTER = r"(?:Q(?P<number>[1-4])|(?P<ordinal>first|second|third|fourth) quarter)"
_SINCE = r"(?P<side>since|from|after|before|until) "
_AFTER_SIDE = r"(?<=since )|(?<=from )|(?<=after )|(?<=before )|(?<=until )"
_UNIT = r"(?P<unit>day|week|month|quarter|year)"
_MONTHS_A_QUARTER = 3
# What a quarter or a year brought is reported on after it.
REPORTING = timedelta(days=45)


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """Days a question names by `words`, the last one excluded.

    Both are None where it is not known which days they are: the fiscal year of a company whose
    first month nobody told.
    """

    words: str
    since: date | None = None
    until: date | None = None


Span = tuple[date, date]


def find_periods(question: str, *, today: date, fiscal_first_month: int = 0) -> tuple[Period, ...]:
    """Return the periods in the question; `fiscal_first_month` 0 is not known."""
    found: list[tuple[int, int, Period]] = []
    for pattern, read in _GRAMMAR:
        for match in pattern.finditer(question):
            period = _read(match, read(match, today, fiscal_first_month))
            is_new = all(match.end() <= start or match.start() >= end for start, end, _ in found)
            if period is not None and is_new:
                found.append((match.start(), match.end(), period))
    return tuple(period for _, _, period in sorted(found, key=lambda entry: entry[:2]))


def _read(match: re.Match[str], span: Span | None) -> Period | None:
    if span is not None:
        return _period(match[0].strip(), _side(match), span)
    return Period(words=match[0].strip()) if match.groupdict().get("fiscal") else None


def _period(words: str, side: str, span: Span) -> Period:
    match side:
        case "since" | "from":
            return Period(words=words, since=span[0])
        case "after":
            return Period(words=words, since=span[1])
        case "before":
            return Period(words=words, until=span[0])
        case "until":
            return Period(words=words, until=span[1])
        case _:
            return Period(words=words, since=span[0], until=span[1])


def _side(match: re.Match[str]) -> str:
    return (match.groupdict().get("side") or "").strip().lower()


def _quarter(match: re.Match[str], _today: date, fiscal_first_month: int) -> Span | None:
    parts = match.groupdict()
    number = int(parts["number"] or _ORDINALS[(parts["ordinal"] or "first").lower()])
    span = _year_span(parts, fiscal_first_month)
    if span is None:
        return None
    start = _add_months(span[0], _MONTHS_A_QUARTER * (number - 1))
    return start, _add_months(start, _MONTHS_A_QUARTER) + REPORTING


def _year(match: re.Match[str], _today: date, fiscal_first_month: int) -> Span | None:
    span = _year_span(match.groupdict(), fiscal_first_month)
    return span and (span[0], span[1] + REPORTING)


def _year_span(parts: dict[str, str | None], fiscal_first_month: int) -> Span | None:
    if parts.get("year"):
        start = date(int(parts["year"] or 0), 1, 1)
        return start, _add_months(start, 12)
    if not fiscal_first_month:
        return None
    year = int(parts["fiscal_year"] or 0) % 100 + 2000
    # A fiscal year is called by the calendar year it ends in.
    start = date(year - (fiscal_first_month > 1), fiscal_first_month, 1)
    return start, _add_months(start, 12)


def _month(match: re.Match[str], _today: date, _first_month: int) -> Span | None:
    start = date(int(match["year"]), _month_number(match["month"]), 1)
    return start, _add_months(start, 1)


def _day(match: re.Match[str], _today: date, _first_month: int) -> Span | None:
    try:
        start = date(int(match["year"]), _month_number(match["month"]), int(match["day"]))
    except ValueError:
        return None
    return start, start + timedelta(days=1)


def _iso_day(match: re.Match[str], _today: date, _first_month: int) -> Span | None:
    try:
        start = date.fromisoformat(match["iso"])
    except ValueError:
        return None
    return start, start + timedelta(days=1)


def _relative(match: re.Match[str], today: date, _first_month: int) -> Span | None:
    this = _around(today, match["unit"].lower())
    if match["which"].lower() == "this":
        return this
    return _around(this[0] - timedelta(days=1), match["unit"].lower())


def _back(match: re.Match[str], today: date, _first_month: int) -> Span | None:
    number, unit = int(match["count"]), match["unit"].lower()
    tomorrow = today + timedelta(days=1)
    if unit in ("day", "week"):
        return tomorrow - timedelta(days=number * (7 if unit == "week" else 1)), tomorrow
    months = {"month": 1, "quarter": _MONTHS_A_QUARTER, "year": 12}[unit]
    return _add_months(today, -months * number), tomorrow


def _yesterday(_match: re.Match[str], today: date, _first_month: int) -> Span | None:
    return today - timedelta(days=1), today


def _around(day: date, unit: str) -> Span:
    """Return the calendar week (from Monday), month, quarter or year that `day` is in."""
    if unit == "week":
        start = day - timedelta(days=day.weekday())
        return start, start + timedelta(days=7)
    months = {"month": 1, "quarter": _MONTHS_A_QUARTER, "year": 12}[unit]
    start = date(day.year, (day.month - 1) // months * months + 1, 1)
    return start, _add_months(start, months)


def _add_months(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    # A day that the other month lacks becomes one that every month has.
    return date(year, month + 1, min(day.day, 28))


def _month_number(name: str) -> int:
    return [month[:3] for month in _MONTHS].index(name[:3].lower()) + 1


Reader = Callable[[re.Match[str], date, int], Span | None]
_GRAMMAR: tuple[tuple[re.Pattern[str], Reader], ...] = tuple(
    (re.compile(rf"\b(?:{_SINCE})?{pattern}\b", re.IGNORECASE), read)
    for pattern, read in (
        (rf"{_QUARTER}(?: of)?(?: the)? ?{_FISCAL}", _quarter),
        (rf"{_FISCAL} ?{_QUARTER}", _quarter),
        (rf"{_QUARTER}(?: of)? {_YEAR}", _quarter),
        (rf"{_YEAR} {_QUARTER}", _quarter),
        (rf"(?P<iso>{_CENTURY}\d\d-\d\d-\d\d)", _iso_day),
        (rf"{_MONTH} {_DAY},? {_YEAR}", _day),
        (rf"{_DAY} {_MONTH},? {_YEAR}", _day),
        (rf"{_MONTH},? {_YEAR}", _month),
        (
            rf"(?:the )?(?:last|past|previous) (?P<count>\d{{1,3}}) {_UNIT}s?",
            _back,
        ),
        (
            r"(?:the )?(?P<which>last|past|previous|this) (?P<unit>week|month|quarter|year)",
            _relative,
        ),
        (r"yesterday", _yesterday),
        (_FISCAL, _year),
        (
            rf"(?:(?:in|during|of) |{_AFTER_SIDE}){_YEAR}",
            _year,
        ),
    )
)
