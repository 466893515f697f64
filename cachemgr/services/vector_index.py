"""Keeps one vector index over the questions of each embedding space."""

from typing import Any

from django.db import connection

from knowledge.models import EmbeddingSpace
from knowledge.services.spaces import HNSW_EF_CONSTRUCTION, HNSW_M


def index_name(space_id: int) -> str:
    """Return the name of the HNSW index over the questions of one space."""
    return f"cachedresponse_hnsw_space_{space_id}"


def create_index(space: EmbeddingSpace) -> None:
    """Build the HNSW index over the live questions of one space, in half precision."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE INDEX IF NOT EXISTS {index_name(space.pk)} ON cachemgr_cachedresponse"
            f" USING hnsw ((vector::halfvec({space.dimensions:d})) halfvec_cosine_ops)"
            f" WITH (m = {HNSW_M}, ef_construction = {HNSW_EF_CONSTRUCTION})"
            f" WHERE space_id = {space.pk:d} AND invalidated_at IS NULL"
        )


def create_index_of_new_space(*, instance: EmbeddingSpace, created: bool, **_: Any) -> None:
    """Build the index of a space that was just made: there is nothing to index yet."""
    if created:
        create_index(instance)
