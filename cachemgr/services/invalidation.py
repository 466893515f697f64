"""Takes answers out of service: because somebody says so, or because their evidence changed."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.db import transaction

from cachemgr.exceptions import UnknownResponseError
from cachemgr.models import CachedCitation, CachedResponse, InvalidationReason
from cachemgr.services.counting import SAID, count_outcome
from knowledge.signals import ChangeReason, ContentChange

ResponseVerdict = Literal["right", "wrong"]

# A statement with more ids than this is split.
IDS_PER_STATEMENT = 10_000

REASONS = {
    ChangeReason.UPDATED: InvalidationReason.CONTENT_CHANGED,
    ChangeReason.REMOVED: InvalidationReason.RETIRED,
    ChangeReason.RETIRED: InvalidationReason.RETIRED,
    ChangeReason.RESTORED: InvalidationReason.CONTENT_CHANGED,
    ChangeReason.SUPERSEDED: InvalidationReason.SUPERSEDED,
    ChangeReason.TRUST: InvalidationReason.TRUST_CHANGED,
    ChangeReason.ACCESS: InvalidationReason.ACCESS_CHANGED,
    ChangeReason.DESCRIBED: InvalidationReason.DESCRIBED,
    ChangeReason.SWITCHED_OFF: InvalidationReason.SWITCHED_OFF,
}
"""What a change means for the answers citing it. A new passage is cited by none."""


@transaction.atomic
def forget(
    *,
    response_id: UUID,
    now: datetime,
    reader_tags: frozenset[str] | None = None,
    reason: InvalidationReason = InvalidationReason.FORGOTTEN,
) -> None:
    """Never serve this answer again. Raises UnknownResponseError, also for one already forgotten.

    One forgotten by hand loses its text at once; the rest of the row tells what was there. With
    `reader_tags`, answers of other readers do not exist.
    """
    responses = CachedResponse.objects.live().filter(pk=response_id)
    if reader_tags is not None:
        responses = responses.within(reader_tags)
    if not _invalidate(responses, reason, now):
        raise UnknownResponseError
    if reason == InvalidationReason.FORGOTTEN:
        _erase(CachedResponse.objects.filter(pk=response_id))


@transaction.atomic
def forget_citing(
    *, now: datetime, document_id: int | None = None, source_id: int | None = None
) -> int:
    """Never serve the answers that cite a document, or any of a source; return how many.

    Like those forgotten by hand one by one they lose their texts at once.
    """
    limits = {"document_id": document_id, "source_id": source_id}
    given = {name: key for name, key in limits.items() if key is not None}
    if not given:
        return 0
    responses = CachedResponse.objects.live().citing(CachedCitation.objects.filter(**given))
    keys = list(responses.values_list("pk", flat=True))
    for start in range(0, len(keys), IDS_PER_STATEMENT):
        chosen = CachedResponse.objects.filter(pk__in=keys[start : start + IDS_PER_STATEMENT])
        _invalidate(chosen, InvalidationReason.FORGOTTEN, now)
        _erase(chosen)
    return len(keys)


@transaction.atomic
def judge_response(
    *, response_id: UUID, verdict: ResponseVerdict, reader_tags: frozenset[str], now: datetime
) -> None:
    """Count what a reader says of an answer; a wrong one is forgotten at once."""
    if verdict == "wrong":
        forget(
            response_id=response_id,
            now=now,
            reader_tags=reader_tags,
            reason=InvalidationReason.FEEDBACK,
        )
    elif not CachedResponse.objects.live().within(reader_tags).filter(pk=response_id).exists():
        raise UnknownResponseError
    count_outcome(f"{SAID}{verdict}", now=now)


def invalidate_citing(*, change: ContentChange, now: datetime) -> int:
    """Take out the answers that cite what changed; return how many. Runs in the caller's
    transaction.

    What was made of a deleted document is erased, even if it was taken out before. Chunks named are
    what changed; else the documents, else the whole source.
    """
    reason = REASONS.get(change.reason)
    if reason is None:
        return 0
    count = 0
    for citations in _citing(change):
        count += _invalidate(CachedResponse.objects.live().citing(citations), reason, now)
        if change.reason is ChangeReason.REMOVED:
            _erase(CachedResponse.objects.citing(citations))
    return count


def invalidate_spaces(*, space_ids: Sequence[int], now: datetime) -> int:
    """Take out the answers whose questions were embedded in these spaces; return how many."""
    live = CachedResponse.objects.live().filter(space_id__in=space_ids)
    return _invalidate(live, InvalidationReason.MODEL_CHANGED, now)


def count_citing(source_ids: Sequence[int]) -> int:
    """Return how many answers that are still served cite one of the sources."""
    cited = CachedCitation.objects.filter(source_id__in=source_ids)
    return int(CachedResponse.objects.live().citing(cited).count())


def _citing(change: ContentChange) -> "Iterator[Any]":
    if change.chunk_ids:
        for ids in _batches(change.chunk_ids):
            yield CachedCitation.objects.filter(chunk_id__in=ids)
    elif change.document_ids:
        for ids in _batches(change.document_ids):
            yield CachedCitation.objects.filter(document_id__in=ids)
    elif change.source_id is not None:
        yield CachedCitation.objects.filter(source_id=change.source_id)


def _batches(ids: Sequence[int]) -> Iterator[list[int]]:
    for start in range(0, len(ids), IDS_PER_STATEMENT):
        yield list(ids[start : start + IDS_PER_STATEMENT])


def _invalidate(responses: Any, reason: InvalidationReason, now: datetime) -> int:
    return int(responses.update(invalidated_at=now, invalidation_reason=reason))


def _erase(responses: Any) -> None:
    """Delete the text of answers that are out of service."""
    responses.exclude(answer="").update(answer="")
