"""Takes out answers for which a passage that came into search would now be evidence too."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

from django.db import connection, transaction

from cachemgr.conf import cache_settings
from cachemgr.models import CachedResponse, InvalidationReason, StoreKey
from cachemgr.sql import statement, statement_on_space
from knowledge.models import Chunk, EmbeddingSpace
from knowledge.services.spaces import find_active_space
from knowledge.signals import ChangeReason, ContentChange

BRINGING = frozenset(
    {
        ChangeReason.ADDED,
        ChangeReason.RESTORED,
        ChangeReason.ACCESS,
        ChangeReason.DESCRIBED,
        ChangeReason.TRUST,
    }
)
"""Changes after which somebody finds a passage that was not found before, or finds it higher up."""

CHUNKS_PER_STATEMENT = 200
ANSWERS_PER_CHUNK = 200
# So few are all compared: equal questions of many scopes have equal vectors, between which a graph
# of neighbours loses some.
ALL_COMPARED = 2_000


def find_newcomers(change: ContentChange, *, limit: int) -> list[int]:
    """Return the ids of the chunks that a change brought into search, up to `limit`."""
    if change.reason not in BRINGING:
        return []
    if change.chunk_ids:
        return list(islice(change.chunk_ids, limit))
    chunks = Chunk.objects.searchable().order_by("pk")
    if change.document_ids:
        chunks = chunks.filter(document_id__in=change.document_ids)
    elif change.source_id is not None:
        chunks = chunks.filter(source_id=change.source_id)
    return list(chunks.values_list("pk", flat=True)[:limit])


def batches_of(chunk_ids: Sequence[int]) -> Iterator[list[int]]:
    """Yield the ids, as many at a time as one statement takes."""
    for start in range(0, len(chunk_ids), CHUNKS_PER_STATEMENT):
        yield list(chunk_ids[start : start + CHUNKS_PER_STATEMENT])


def batches_of_source(source_id: int) -> Iterator[list[int]]:
    """Yield the ids of what is searched of a source, as many at a time as one statement takes."""
    last = 0
    chunks = Chunk.objects.searchable().filter(source_id=source_id).order_by("pk")
    while ids := list(
        chunks.filter(pk__gt=last).values_list("pk", flat=True)[:CHUNKS_PER_STATEMENT]
    ):
        yield ids
        last = ids[-1]


def invalidate_outdone(*, chunk_ids: Sequence[int], now: datetime) -> int:
    """Take out the answers these chunks would now be evidence for; return how many.

    That is: of all passages which the reader may see and the filters leave, a chunk at least
    `new_evidence_share` as similar to the question as the weakest passage cited.
    """
    if not chunk_ids or not CachedResponse.objects.live().exists():
        return 0
    space = find_active_space()
    if space is None:
        return 0
    total = 0
    with transaction.atomic():
        total += _invalidate(_find_unembedded(space, chunk_ids), now)
        while count := _invalidate(_find_outdone(space, chunk_ids), now):
            total += count
    return total


def note_newcomers(*, chunk_ids: Sequence[int], now: datetime) -> None:
    """Keep with each question that is being answered how near these chunks come to it."""
    pending = StoreKey.objects.pending(now=now)
    space = find_active_space() if chunk_ids and pending.exists() else None
    if space is not None:
        text = _on_space("note_newcomers", space, scope="pending.scope")
        with connection.cursor() as cursor:
            cursor.execute(text, {"chunk_ids": list(chunk_ids), "now": now})


def _find_outdone(space: EmbeddingSpace, chunk_ids: Sequence[int]) -> list[Any]:
    parameters: dict[str, Any] = {
        "chunk_ids": list(chunk_ids),
        "depth": ANSWERS_PER_CHUNK,
        "share": cache_settings().new_evidence_share,
    }
    live = CachedResponse.objects.live().filter(space_id=space.pk)
    is_exact = live[: ALL_COMPARED + 1].count() <= ALL_COMPARED
    text = _on_space("find_outdone", space, scope="r.scope", is_exact=is_exact)
    with connection.cursor() as cursor:
        cursor.execute(statement("vector_session"), {"ef_search": str(ANSWERS_PER_CHUNK)})
        cursor.execute(text, parameters)
        return [response_id for (response_id,) in cursor.fetchall()]


def _find_unembedded(space: EmbeddingSpace, chunk_ids: Sequence[int]) -> list[Any]:
    text = _on_space("find_unembedded", space, scope="r.scope")
    with connection.cursor() as cursor:
        cursor.execute(text, {"chunk_ids": list(chunk_ids)})
        return [response_id for (response_id,) in cursor.fetchall()]


def _on_space(name: str, space: EmbeddingSpace, *, scope: str, is_exact: bool = False) -> str:
    return statement_on_space(
        name, space.pk, dimensions=space.dimensions, scope=scope, is_exact=is_exact
    )


def _invalidate(response_ids: Sequence[Any], now: datetime) -> int:
    # Locked in one order: others take answers out at the same time.
    live = CachedResponse.objects.live().filter(pk__in=response_ids).order_by("pk")
    locked = list(live.select_for_update().values_list("pk", flat=True))
    updated: int = CachedResponse.objects.filter(pk__in=locked).update(
        invalidated_at=now, invalidation_reason=InvalidationReason.NEW_EVIDENCE
    )
    return updated
