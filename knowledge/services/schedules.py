"""The runs that read sources again: when their moment has come, and one of a source at a time."""

import logging
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q

from knowledge.exceptions import ScheduleError
from knowledge.models import IngestionRun, RunKind, RunStatus, RunTrigger, Source
from knowledge.services.runs import create_run
from knowledge.services.timetable import check_refreshable, next_check

ONE_DAY = timedelta(days=1)

logger = logging.getLogger(__name__)


@transaction.atomic
def claim_due_sources(*, now: datetime) -> list[Source]:
    """Return the sources whose moment has come, and move it on: after a pause each is due once.

    One that another process looks at is left to it.
    """
    scheduled = Source.objects.select_for_update(skip_locked=True).exclude(refresh_schedule="")
    is_due = Q(next_check_at__lte=now) | Q(next_check_at=None)
    due = []
    for source in scheduled.filter(is_due, enabled=True, is_paused=False).order_by("pk"):
        planned = source.next_check_at
        try:
            source.next_check_at = next_check(source, now=now)
        except ScheduleError as error:
            logger.warning("the schedule of source %s cannot be read: %s", source.pk, error)
            planned, source.next_check_at = None, now + ONE_DAY
        source.save(update_fields=["next_check_at"])
        if planned is not None:
            due.append(source)
    return due


@transaction.atomic
def plan_refresh_run(
    source: Source, *, trigger: RunTrigger, user_id: Any = None
) -> tuple[IngestionRun, bool]:
    """Return the run that will read a source again, and whether it is new.

    One that waits already will do; a scheduled one is also left to a run that is under way. Raises
    ListingError for a source that does not say where it lies.
    """
    check_refreshable(source)
    Source.objects.select_for_update().get(pk=source.pk)
    runs = IngestionRun.objects.filter(source=source, kind=RunKind.REFRESH).order_by("pk")
    states = [RunStatus.WAITING]
    if trigger == RunTrigger.SCHEDULE:
        states.append(RunStatus.RUNNING)
    known: IngestionRun | None = runs.filter(status__in=states).first()
    if known is not None:
        return known, False
    run = create_run(source=source, trigger=trigger, user_id=user_id, kind=RunKind.REFRESH)
    return run, True
