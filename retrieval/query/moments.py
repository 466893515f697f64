"""Dates as people write them in filters, and the instants they mean."""

from datetime import date, datetime, time, timedelta, tzinfo

from retrieval.exceptions import InvalidFilterError

Moment = date | datetime


def parse_moment(text: str, *, field: str) -> Moment:
    """Return the day or the instant that `text` (ISO 8601) names. Raises InvalidFilterError."""
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError as error:
        message = (
            f"{field} is {text!r}; write a date like 2031-03-31 or a time like 2031-03-31T18:45Z."
        )
        raise InvalidFilterError(message, field=field) from error


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
