"""The vector arm: passages whose meaning is close to that of the question."""

from collections.abc import Sequence
from time import perf_counter
from typing import Any

from django.db import connection

from knowledge.embedding.base import Vector
from retrieval.search.sql import filter_parameters, statement
from retrieval.types import Arm, ArmResult, Candidate, Filters

Nearest = Sequence[tuple[int, float]]


def find_by_vector(
    vector: Vector,
    *,
    space_id: int,
    filters: Filters,
    depth: int,
    min_similarity: float,
    is_narrow: bool,
) -> ArmResult:
    """Return the `depth` chunks most similar to `vector`, without those below `min_similarity`.

    `vector` is a checked one. When the filters leave few chunks (`is_narrow`) each is compared; so
    it is when the scan of the index ended at its bound with too few.
    """
    started = perf_counter()
    parameters = {**filter_parameters(filters), "vector": _literal(vector), "depth": depth}
    nearest: Nearest = []
    is_exact = is_narrow
    if not is_narrow:
        approximate = _on_space("vector_approximate", space_id=space_id, dimensions=len(vector))
        nearest = _fetch(approximate, parameters)
    if len(nearest) < depth:
        is_exact = True
        exact = _on_space("vector_exact", space_id=space_id, dimensions=len(vector))
        nearest = _fetch(exact, parameters)
    similar = [pair for pair in nearest if pair[1] >= min_similarity]
    return ArmResult(
        arm=Arm.VECTOR,
        candidates=tuple(
            Candidate(chunk_id=chunk_id, rank=rank, score=similarity)
            for rank, (chunk_id, similarity) in enumerate(similar, start=1)
        ),
        is_exact=is_exact,
        milliseconds=(perf_counter() - started) * 1000,
    )


def score_by_vector(vector: Vector, chunk_ids: Sequence[int], *, space_id: int) -> dict[int, float]:
    """Return the similarity of each given chunk that has a vector in the space."""
    if not chunk_ids:
        return {}
    text = _on_space("vector_scores", space_id=space_id, dimensions=len(vector))
    return dict(_fetch(text, {"vector": _literal(vector), "chunk_ids": list(chunk_ids)}))


def _literal(vector: Vector) -> str:
    return f"[{','.join(map(str, vector.tolist()))}]"


def _on_space(name: str, *, space_id: int, dimensions: int) -> str:
    text = statement(name).replace("{space_id}", f"{space_id:d}")
    return text.replace("{dimensions}", f"{dimensions:d}")


def _fetch(text: str, parameters: dict[str, Any]) -> Nearest:
    with connection.cursor() as cursor:
        cursor.execute(text, parameters)
        nearest: Nearest = cursor.fetchall()
    return nearest
