"""Dates as people write them in filters, and the instants they mean."""

from datetime import date, datetime, time, timedelta, tzinfo

from retrieval.exceptions import InvalidFilterError

Moment = date | datetime

# Days and quarters are added to moments and taken off them; the calendar ends in 1 and in 9999.
FIRST_YEAR, LAST_YEAR = 1000, 9000


def parse_moment(text: str, *, field: str) -> Moment:
    """Return the day or the instant that `text` (ISO 8601) names. Raises InvalidFilterError."""
    try:
        moment = _read(text.strip())
    except ValueError as error:
        message = (
            f"{field} is {text!r}; write a date like 2031-03-31 or a time like 2031-03-31T18:45Z."
        )
        raise InvalidFilterError(message, field=field) from error
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        message = f"{field} is {text!r}; years from {FIRST_YEAR} to {LAST_YEAR} are understood."
        raise InvalidFilterError(message, field=field)
    return moment


def _read(text: str) -> Moment:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return datetime.fromisoformat(text)


def start_of(moment: Moment, *, zone: tzinfo) -> datetime:
    """Return the first instant of a day, or the instant itself; without a zone it is in `zone`."""
    if not isinstance(moment, datetime):
        return datetime.combine(moment, time.min, tzinfo=zone)
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def after(moment: Moment, *, zone: tzinfo) -> datetime:
    """Return the first instant that is later than all of the day, or than the instant."""
    if isinstance(moment, datetime):
        return start_of(moment, zone=zone) + timedelta(microseconds=1)
    return start_of(moment + timedelta(days=1), zone=zone)


def end_of(moment: Moment, *, zone: tzinfo) -> datetime:
    """Return the last instant of a day, or the instant itself."""
    return after(moment, zone=zone) - timedelta(microseconds=1)
