"""Reads dates and times as people and exports write them."""

import re
from datetime import UTC, date, datetime, time
from email.utils import parsedate_to_datetime

MAX_SHOWN_LENGTH = 40

_NUMERIC_DATE = re.compile(
    r"(\d{1,2})([/.-])(\d{1,2})\2(\d{4})(?:[ T,]+(\d{1,2}:\d{2}(?::\d{2})?))?"
)
_SLASHED_ISO = re.compile(r"(\d{4})[/.](\d{1,2})[/.](\d{1,2})")
_DASHED_ISO = re.compile(r"\d{4}-\d")
_EPOCH = re.compile(r"\d{9,10}(?:\.\d+)?|\d{12,13}")
_MILLISECOND_DIGITS = 12
_WRITTEN_DATES = (
    "%d %B %Y",
    "%d %b %Y",
    "%B %d, %Y",
    "%b %d, %Y",
    "%B %d %Y",
    "%b %d %Y",
    "%Y%m%d",
)
_MONTHS_A_YEAR = 12
_EXPECTED = "a date like 2031-07-20"


class UnusableValueError(ValueError):
    """The value does not fit its field; the message says what would."""

    def __init__(self, value: object, *, expected: str) -> None:
        written = str(value)
        shown = written if len(written) <= MAX_SHOWN_LENGTH else f"{written[:MAX_SHOWN_LENGTH]}…"
        super().__init__(f"{shown!r} is not {expected}")


def read_moment(value: object) -> datetime:
    """Return a date or time as an aware time in UTC; without a zone it counts as UTC.

    Raises UnusableValueError, also for 03/04/2031, which is two different days.
    """
    if isinstance(value, datetime):
        return _in_utc(value)
    if isinstance(value, date):
        return datetime.combine(value, time(), tzinfo=UTC)
    written = str(value).strip()
    for reader in (_iso_moment, _numeric_moment, _epoch_moment, _written_moment, _mail_moment):
        moment = reader(written)
        if moment is not None:
            return _in_utc(moment)
    raise UnusableValueError(value, expected=_EXPECTED)


def _in_utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise UnusableValueError(moment, expected=_EXPECTED) from error


def _iso_moment(written: str) -> datetime | None:
    if not _DASHED_ISO.match(written):
        return None
    try:
        return datetime.fromisoformat(written.replace(" UTC", "+00:00"))
    except ValueError:
        return None


def _numeric_moment(written: str) -> datetime | None:
    slashed = _SLASHED_ISO.fullmatch(written)
    if slashed:
        return _moment(*map(int, slashed.groups()))
    match = _NUMERIC_DATE.fullmatch(written)
    if not match:
        return None
    first, separator, second, year = int(match[1]), match[2], int(match[3]), int(match[4])
    is_day_first = separator == "." or first > _MONTHS_A_YEAR or first == second
    if not is_day_first and second <= _MONTHS_A_YEAR:
        choices = f"{year}-{second:02}-{first:02} or {year}-{first:02}-{second:02}"
        raise UnusableValueError(written, expected=f"one certain day; write {choices}")
    day, month = (first, second) if is_day_first else (second, first)
    moment = _moment(year, month, day)
    if moment is None or not match[5]:
        return moment
    try:
        return datetime.combine(moment, time.fromisoformat(match[5].rjust(5, "0")))
    except ValueError:
        return None


def _moment(year: int, month: int, day: int) -> datetime | None:
    try:
        return datetime(year, month, day, tzinfo=UTC)
    except ValueError:
        return None


def _epoch_moment(written: str) -> datetime | None:
    if not _EPOCH.fullmatch(written):
        return None
    is_milliseconds = len(written) >= _MILLISECOND_DIGITS and "." not in written
    return datetime.fromtimestamp(float(written) / (1000 if is_milliseconds else 1), tz=UTC)


def _written_moment(written: str) -> datetime | None:
    for pattern in _WRITTEN_DATES:
        try:
            return datetime.strptime(written, pattern).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None


def _mail_moment(written: str) -> datetime | None:
    if "," not in written and ":" not in written:
        return None
    try:
        return parsedate_to_datetime(written)
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
