"""Compares what the vector index finds with what an exact scan finds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from django.db import connection

from knowledge.embedding.base import Vector
from knowledge.models import ChunkEmbedding
from retrieval.conf import RetrievalSettings, retrieval_settings
from retrieval.search.session import search_session
from retrieval.search.sql import statement
from retrieval.search.vector import find_by_vector
from retrieval.types import Candidate, Filters

COMPARED = 10
# Vectors alike to this are interchangeable: the order among them is by chance.
TIE = 1e-6
# An exact scan of a large corpus takes longer than a search may.
TIMEOUT_MS = 120_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledScope:
    """A filter to try, with the number of chunks it leaves."""

    label: str
    filters: Filters
    chunk_count: int


def sample_vectors(*, space_id: int, count: int) -> list[Vector]:
    """Return the vectors of that many chunks, chosen at random."""
    embeddings = ChunkEmbedding.objects.filter(space_id=space_id, chunk__is_active=True)
    ids = list(embeddings.order_by("?").values_list("pk", flat=True)[:count])
    chosen = ChunkEmbedding.objects.filter(pk__in=ids).order_by("pk")
    return [np.asarray(row.vector, dtype=np.float32) for row in chosen]


def sample_scopes() -> list[SampledScope]:
    """Return no filter, and of sources, types and entities those with most and fewest chunks."""
    with connection.cursor() as cursor:
        cursor.execute(statement("sample_scopes"))
        rows = cursor.fetchall()
    scopes = []
    for label, tags, source_id, type_id, entity_id, chunk_count in rows:
        filters = Filters(
            access_tags=frozenset(tags),
            source_ids=(source_id,) if source_id is not None else (),
            source_type_ids=(type_id,) if type_id is not None else (),
            entity_ids=(entity_id,) if entity_id is not None else (),
        )
        scopes.append(SampledScope(label=label, filters=filters, chunk_count=chunk_count))
    return scopes


def measure_recall(
    vectors: Sequence[Vector],
    filters: Filters,
    *,
    space_id: int,
    depth: int,
    advance: Callable[[int], None] = lambda _: None,
) -> float:
    """Return the mean share, 0..1, of the 10 nearest chunks that the index finds too.

    The index is asked even where a search would compare every chunk. `depth` is what a search
    takes from it. Without vectors, or chunks to find, nothing is missed.
    """
    settings = replace(retrieval_settings(), statement_timeout_ms=TIMEOUT_MS)
    shares = []
    for vector in vectors:
        found, nearest = (
            _find(
                vector, filters, space_id=space_id, depth=wanted, settings=settings, is_exact=exact
            )
            for wanted, exact in ((depth, False), (COMPARED, True))
        )
        if nearest:
            shares.append(_share_found(found, nearest))
        advance(1)
    return sum(shares) / len(shares) if shares else 1.0


def _find(
    vector: Vector,
    filters: Filters,
    *,
    space_id: int,
    depth: int,
    settings: RetrievalSettings,
    is_exact: bool,
) -> tuple[Candidate, ...]:
    with search_session(settings, depth=depth):
        result = find_by_vector(
            vector,
            space_id=space_id,
            filters=filters,
            depth=depth,
            min_similarity=-1.0,
            is_narrow=is_exact,
        )
    return result.candidates


def _share_found(found: Sequence[Candidate], nearest: Sequence[Candidate]) -> float:
    least = nearest[-1].score - TIE
    close = sum(1 for candidate in found[: len(nearest)] if candidate.score >= least)
    return close / len(nearest)
