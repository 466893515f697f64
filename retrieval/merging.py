"""Adds to what was found everywhere what is filed under the entities a question names. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from retrieval.types import ArmResult, FusedCandidate, Query

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


def merge_fused(lists: Iterable[Sequence[FusedCandidate]]) -> list[FusedCandidate]:
    """Return each chunk once, as it is in the list that finds it most relevant, best first.

    There is at least one list; each is in that order, and has each chunk once.
    Each list has its own best: the best passage of a customer is as relevant as if it had been
    searched by the filter, whatever passages of others say.
    """
    first, *others = lists
    if not others:
        return list(first)
    best = {candidate.chunk_id: candidate for candidate in first}
    for candidate in (candidate for fused in others for candidate in fused):
        known = best.get(candidate.chunk_id)
        if known is None or candidate.relevance > known.relevance:
            best[candidate.chunk_id] = candidate
    return sorted(best.values(), key=lambda each: (-each.relevance, each.chunk_id))


def names_without_documents(
    query: Query, filed: Iterable[tuple[Query, Sequence[ArmResult]]]
) -> list[str]:
    """Return the names in the question under whose entity nothing was found, out of those asked."""
    empty = {
        entity_id
        for each, results in filed
        for entity_id in each.filters.entity_ids
        if not any(result.candidates for result in results)
    }
    about = query.understanding.preferences.about
    return [each.name for each in about if each.entity_id in empty]


def arm_timings(results: Iterable[ArmResult]) -> dict[str, float]:
    """Return the milliseconds of each arm, over all it was asked."""
    milliseconds: dict[str, float] = defaultdict(float)
    for result in results:
        milliseconds[result.arm.value] += result.milliseconds
    return dict(milliseconds)
