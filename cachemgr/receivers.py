"""Hears what changed in the knowledge base, inside the transaction of the change."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.db import transaction
from django.utils import timezone

from cachemgr.services.invalidation import (
    count_citing,
    forget_citing,
    invalidate_citing,
    invalidate_spaces,
)
from cachemgr.services.newcomers import (
    CHUNKS_PER_STATEMENT,
    find_newcomers,
    invalidate_outdone,
)
from cachemgr.tasks import check_newcomers, enqueue_check, enqueue_source_check
from knowledge.signals import ContentChange


def invalidate_on_change(*, change: ContentChange, **_: Any) -> None:
    """Take out the answers that cite what changed, and those that what came in would outdo."""
    invalidate_citing(change=change, now=timezone.now())
    chunk_ids = find_newcomers(change, limit=CHUNKS_PER_STATEMENT + 1)
    if len(chunk_ids) > CHUNKS_PER_STATEMENT:
        _enqueue(change)
    elif chunk_ids:
        invalidate_outdone(chunk_ids=chunk_ids, now=timezone.now())
        # Once more when others can see it: they may be answering from what was before. The change
        # is made by then, so a failure of this is logged only.
        transaction.on_commit(partial(check_newcomers, chunk_ids), robust=True)


def invalidate_on_switch(*, left_id: int, entered_id: int, **_: Any) -> None:
    """Take out the answers of both models: what comes in is compared with those of one only."""
    invalidate_spaces(space_ids=[left_id, entered_id], now=timezone.now())


def count_answers(*, source_ids: Sequence[int], **_: Any) -> int:
    """Return how many answers cite the sources."""
    return count_citing(source_ids)


def forget_answers(*, source_ids: Sequence[int], **_: Any) -> int:
    """Forget the answers that cite the sources; return how many."""
    now = timezone.now()
    return sum(forget_citing(source_id=source_id, now=now) for source_id in source_ids)


def _enqueue(change: ContentChange) -> None:
    if change.chunk_ids:
        enqueue_check(change.chunk_ids)
    elif change.source_id is not None:
        enqueue_source_check(change.source_id)
