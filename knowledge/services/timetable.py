"""When a source is read next."""

from datetime import datetime

from django.utils import timezone

from knowledge.cron import CronError, next_due, read_cron
from knowledge.exceptions import ListingError, ScheduleError
from knowledge.models import Connector, Source

NOT_READ = frozenset({Connector.PUSH, Connector.UPLOAD})


def set_schedule(source: Source, *, now: datetime) -> None:
    """Work out when a source is read next, from the schedule it has been given.

    Raises ScheduleError for one that cannot be read or is never due, ListingError for a source that
    does not say where it lies.
    """
    if source.refresh_schedule:
        check_refreshable(source)
    source.next_check_at = next_check(source, now=now)


def next_check(source: Source, *, now: datetime) -> datetime | None:
    """Return when a source is to be read next, None if nobody asked for it.

    Raises ScheduleError.
    """
    if not source.refresh_schedule or not source.enabled or source.is_paused:
        return None
    try:
        cron = read_cron(source.refresh_schedule)
    except CronError as error:
        message = f"refresh_schedule: {error}."
        raise ScheduleError(message, field="refresh_schedule") from error
    return next_due(cron, after=now, zone=timezone.get_default_timezone())


def is_refreshable(source: Source) -> bool:
    """Tell whether a source says where it can be read again."""
    return bool(source.location) and source.connector not in NOT_READ


def check_refreshable(source: Source) -> None:
    """Raise ListingError for a source that cannot be read again by itself."""
    if not is_refreshable(source):
        message = (
            f"location: {source.name!r} cannot be read again: it does not say where its documents"
            " lie. They are pushed or uploaded."
        )
        raise ListingError(message, field="location")
