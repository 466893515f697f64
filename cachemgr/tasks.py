"""Background work of the response cache: the only contact with the queue."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.utils import timezone
from django_q.models import Schedule
from django_q.tasks import async_task

from cachemgr.services.newcomers import (
    batches_of,
    batches_of_source,
    invalidate_outdone,
    note_newcomers,
)
from cachemgr.services.purging import purge

CHUNKS_PER_TASK = 2_000
NIGHTLY_PURGE = "Purge cached answers"
NIGHT_HOUR = 3


def enqueue_check(chunk_ids: Sequence[int]) -> None:
    """Ask the worker to look which answers many chunks outdo, once they are committed."""
    for start in range(0, len(chunk_ids), CHUNKS_PER_TASK):
        _enqueue("cachemgr.tasks.check_newcomers", list(chunk_ids[start : start + CHUNKS_PER_TASK]))


def enqueue_source_check(source_id: int) -> None:
    """Ask the worker to look which answers the chunks of a source outdo."""
    _enqueue("cachemgr.tasks.check_source", source_id)


def check_newcomers(chunk_ids: Sequence[int]) -> None:
    """Look which questions and answers committed chunks concern; doing it twice is harmless.

    Questions first: an answer that was stored meanwhile is found afterwards.
    """
    for batch in batches_of(chunk_ids):
        note_newcomers(chunk_ids=batch, now=timezone.now())
        invalidate_outdone(chunk_ids=batch, now=timezone.now())


def check_source(source_id: int) -> None:
    """Do so for all that is searched of a source."""
    for batch in batches_of_source(source_id):
        check_newcomers(batch)


def purge_nightly() -> None:
    """Delete what the cache does not serve any more, and add up its counts."""
    purge(now=timezone.now())


def ensure_nightly_purge() -> None:
    """Have the worker purge the cache every night; a schedule that was changed stays as it is."""
    Schedule.objects.get_or_create(
        name=NIGHTLY_PURGE,
        defaults={
            "func": "cachemgr.tasks.purge_nightly",
            "schedule_type": Schedule.DAILY,
            "next_run": _next_night(timezone.localtime()),
        },
    )


def _next_night(now: datetime) -> datetime:
    tonight = now.replace(hour=NIGHT_HOUR, minute=0, second=0, microsecond=0)
    return tonight if tonight > now else tonight + timedelta(days=1)


def _enqueue(function: str, *arguments: Any) -> None:
    """Hand a task over once the change is committed: the worker would not find it before."""
    transaction.on_commit(partial(async_task, function, *arguments))
