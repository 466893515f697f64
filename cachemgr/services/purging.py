"""Deletes answers and store keys that are no longer of use."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q

from cachemgr.models import AnswerLease, CachedCitation, CachedResponse, StoreKey
from cachemgr.services.counting import add_up_events
from knowledge.models import SpaceStatus

ROWS_PER_TRANSACTION = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Purge:
    """How many rows a purge deleted."""

    responses: int
    store_keys: int


def purge(*, now: datetime, everything: bool = False, source_id: int | None = None) -> Purge:
    """Delete what is not served any more, and add up what was counted.

    That is: answers that expired, were taken out or belong to a retired embedding model, and store
    keys past their time.

    `everything` also deletes what is served. With `source_id` all answers that cite the source go,
    and nothing else.
    """
    if source_id is not None:
        cited = CachedCitation.objects.filter(source_id=source_id)
        responses = CachedResponse.objects.filter(pk__in=cited.values("response_id"))
        return Purge(responses=_delete(responses), store_keys=0)
    if everything:
        return Purge(
            responses=_delete(CachedResponse.objects.all()),
            store_keys=_delete(StoreKey.objects.all()),
        )
    _delete(AnswerLease.objects.filter(until__lte=now))
    add_up_events()
    ended = Q(expires_at__lte=now)
    useless = ended | Q(invalidated_at__isnull=False) | Q(space__status=SpaceStatus.RETIRED)
    return Purge(
        responses=_delete(CachedResponse.objects.filter(useless)),
        store_keys=_delete(StoreKey.objects.filter(ended)),
    )


def _delete(rows: Any) -> int:
    """Delete rows a thousand at a time, so that nobody waits for long; return how many."""
    deleted = 0
    while ids := list(rows.order_by("pk").values_list("pk", flat=True)[:ROWS_PER_TRANSACTION]):
        with transaction.atomic():
            rows.model.objects.filter(pk__in=ids).delete()
        deleted += len(ids)
    return deleted
