"""When something is due next: cron expressions by the clock on the wall, in both odd nights too.

A time that the clock skips in spring is due at the moment it skips to. A time that comes twice in
autumn is due once, at the first; but what is due every hour is due in both hours.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

FIELDS = ("minute", "hour", "day of the month", "month", "day of the week")
LIMITS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
HOURS_A_DAY = 24
# 29 February may be eight years away.
LONGEST_SEARCH_DAYS = 366 * 8 + 2


class CronError(ValueError):
    """An expression cannot be read; the message says which part, and how it is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cron:
    """A timetable. Sunday is weekday 0; a day fits either list, if both are restricted."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    is_any_day: bool
    is_any_weekday: bool

    @property
    def is_hourly(self) -> bool:
        """Whether it is due in every hour."""
        return len(self.hours) == HOURS_A_DAY

    def fits(self, day: date) -> bool:
        """Tell whether anything is due on a day."""
        if day.month not in self.months:
            return False
        by_day = day.day in self.days
        by_weekday = day.isoweekday() % 7 in self.weekdays
        if self.is_any_day or self.is_any_weekday:
            return by_day and by_weekday
        return by_day or by_weekday


def read_cron(expression: str) -> Cron:
    """Read five fields with lists, ranges, steps and names. Raises CronError."""
    parts = expression.split()
    if len(parts) != len(FIELDS):
        message = (
            f"{expression!r} has {len(parts)} parts; write five: minute, hour, day of the month,"
            " month, day of the week, such as 30 6 * * mon-fri"
        )
        raise CronError(message)
    values = [_read_field(number, part) for number, part in enumerate(parts)]
    cron = Cron(
        minutes=values[0],
        hours=values[1],
        days=values[2],
        months=values[3],
        weekdays=frozenset(day % 7 for day in values[4]),
        is_any_day=parts[2].startswith("*"),
        is_any_weekday=parts[4].startswith("*"),
    )
    if not any(map(cron.fits, _days_from(date(2024, 1, 1)))):
        message = f"{expression!r} is never due: there is no such day"
        raise CronError(message)
    return cron


def next_due(cron: Cron, *, after: datetime, zone: tzinfo) -> datetime:
    """Return the first moment after `after` at which it is due, in UTC."""
    start = after.astimezone(zone).date() - timedelta(days=1)
    for day in _days_from(start):
        if cron.fits(day):
            later = [moment for moment in _moments(cron, day, zone) if moment > after]
            if later:
                return min(later)
    message = "never due"
    raise CronError(message)


def _days_from(start: date) -> Iterator[date]:
    for number in range(LONGEST_SEARCH_DAYS):
        yield start + timedelta(days=number)


def _moments(cron: Cron, day: date, zone: tzinfo) -> Iterator[datetime]:
    for hour in cron.hours:
        for minute in cron.minutes:
            local = datetime.combine(day, time(hour, minute), tzinfo=zone)
            first = local.astimezone(UTC)
            second = local.replace(fold=1).astimezone(UTC)
            if second < first:
                yield _end_of_gap(second, first, zone)
                continue
            yield first
            if second > first and cron.is_hourly:
                yield second


def _end_of_gap(before: datetime, after: datetime, zone: tzinfo) -> datetime:
    """Return the moment, within these two, from which the clock shows another offset."""
    moment = before
    new = after.astimezone(zone).utcoffset()
    while moment < after and moment.astimezone(zone).utcoffset() != new:
        moment += timedelta(minutes=1)
    return moment


def _read_field(number: int, written: str) -> frozenset[int]:
    values: set[int] = set()
    for part in written.lower().split(","):
        values.update(_read_part(number, part))
    return frozenset(values)


def _read_part(number: int, part: str) -> range:
    spread, slash, step = part.partition("/")
    if slash and not (step.isascii() and step.isdigit() and int(step) > 0):
        raise _wrong(number, part)
    low, high = LIMITS[number]
    if spread == "*":
        first, last = low, high
    else:
        start, dash, end = spread.partition("-")
        first = _read_value(number, start, part)
        last = _read_value(number, end, part) if dash else (high if slash else first)
    if first > last:
        raise _wrong(number, part)
    return range(first, last + 1, int(step) if slash else 1)


def _read_value(number: int, written: str, part: str) -> int:
    names: tuple[str, ...] = {3: MONTHS, 4: WEEKDAYS}.get(number, ())
    low, high = LIMITS[number]
    if written in names:
        return names.index(written) + low
    if not (written.isascii() and written.isdigit() and low <= int(written) <= high):
        raise _wrong(number, part)
    return int(written)


def _wrong(number: int, part: str) -> CronError:
    low, high = LIMITS[number]
    return CronError(
        f"{FIELDS[number]}: {part!r} is not understood; write numbers from {low} to {high}, such as"
        f" {low}, {low}-{low + 2} or */2"
    )
