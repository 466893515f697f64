"""Adds to what was found everywhere what is filed under the entities a question names. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from retrieval.types import ArmResult, Candidate, Query

# A question of more compares, and is better asked in parts.
MOST_ENTITIES = 3


def queries_by_entity(query: Query) -> list[Query]:
    """Return the query limited to each entity its question names.

    Among everything, the few passages of one customer may be beyond the depth of both arms.
    """
    return [
        replace(query, filters=replace(query.filters, entity_ids=(entity_id,)))
        for entity_id in query.understanding.entity_ids[:MOST_ENTITIES]
    ]


def merge_arms(first: Sequence[ArmResult], *others: Sequence[ArmResult]) -> list[ArmResult]:
    """Return for each arm all that any of its results holds, ranked anew by score."""
    return [_merged([result, *_of_same_arm(result, others)]) for result in first]


def _of_same_arm(result: ArmResult, others: Iterable[Sequence[ArmResult]]) -> list[ArmResult]:
    return [other for results in others for other in results if other.arm is result.arm]


def _merged(results: Sequence[ArmResult]) -> ArmResult:
    if len(results) == 1:
        return results[0]
    best: dict[int, Candidate] = {}
    for result in results:
        for candidate in result.candidates:
            known = best.get(candidate.chunk_id)
            if known is None or known.rank is None:
                best[candidate.chunk_id] = candidate
    ordered = sorted(
        best.values(), key=lambda each: (each.rank is None, -each.score, each.chunk_id)
    )
    return replace(
        results[0],
        candidates=tuple(
            candidate if candidate.rank is None else replace(candidate, rank=rank)
            for rank, candidate in enumerate(ordered, start=1)
        ),
        is_complete=all(result.is_complete for result in results),
        milliseconds=sum(result.milliseconds for result in results),
    )
