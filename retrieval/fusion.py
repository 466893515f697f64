"""Merges what the arms found into one list.

Both methods give every chunk a relevance of 0..1, count a chunk that an arm lists twice at its best
rank, give a chunk nothing for an arm that missed it, and break ties by chunk id. What an arm scored
without ranking it counts where scores are fused. The order in which the arms are passed does not
matter. An arm that was not asked is left out of `arms`; one that found nothing is in it, and says
that nothing is relevant.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from retrieval.types import Arm, ArmResult, Candidate, FusedCandidate

Method = Literal["convex", "rrf"]
Score = Callable[[Arm, Candidate], float]


def fuse(
    arms: Sequence[ArmResult], *, method: Method, rrf_k: int, weights: Mapping[Arm, float]
) -> list[FusedCandidate]:
    """Fuse by the method of that name, best first; `rrf_k` is only used by reciprocal ranks."""
    if method == "rrf":
        return reciprocal_rank(arms, k=rrf_k, weights=weights)
    return convex(arms, weights=weights)


def reciprocal_rank(
    arms: Sequence[ArmResult], *, k: int, weights: Mapping[Arm, float] | None = None
) -> list[FusedCandidate]:
    """Fuse by the sum of weight / (k + rank) over the arms, best first; without weights all are 1.

    Relevance is that sum over the largest possible one, so 1 is first place in every arm. Cormack,
    Clarke and Buettcher (2009) took k = 60 and no weights.
    """
    shares = weights or {result.arm: 1.0 for result in arms}
    total = sum(shares[result.arm] for result in arms) or 1.0
    return _merge(
        arms, lambda arm, candidate: shares[arm] / total * (k + 1) / (k + _rank(candidate))
    )


def convex(arms: Sequence[ArmResult], *, weights: Mapping[Arm, float]) -> list[FusedCandidate]:
    """Fuse by the weighted mean of the scores, each arm's scaled by its best, best first.

    Relevance 1 is the best score in every arm. Scores below 0 count as 0.
    """
    total = sum(weights[result.arm] for result in arms) or 1.0
    shares = {result.arm: weights[result.arm] / total for result in arms}
    best = {result.arm: _best_score(result) for result in arms}
    return _merge(
        arms, lambda arm, candidate: shares[arm] * (max(candidate.score, 0.0) / best[arm])
    )


def _best_score(result: ArmResult) -> float:
    best = max((candidate.score for candidate in result.candidates), default=0.0)
    return best if best > 0 else 1.0


def _merge(arms: Sequence[ArmResult], score: Score) -> list[FusedCandidate]:
    found = {result.arm: _best_by_chunk(result.candidates) for result in arms}
    keyword = found.get(Arm.KEYWORD, {})
    vector = found.get(Arm.VECTOR, {})
    fused = [
        _fused(chunk_id, score, keyword=keyword.get(chunk_id), vector=vector.get(chunk_id))
        for chunk_id in keyword.keys() | vector.keys()
    ]
    return sorted(fused, key=lambda candidate: (-candidate.relevance, candidate.chunk_id))


def _rank(candidate: Candidate) -> float:
    return math.inf if candidate.rank is None else candidate.rank


def _best_by_chunk(candidates: Sequence[Candidate]) -> dict[int, Candidate]:
    best: dict[int, Candidate] = {}
    for candidate in candidates:
        known = best.get(candidate.chunk_id)
        if known is None or _rank(candidate) < _rank(known):
            best[candidate.chunk_id] = candidate
    return best


def _fused(
    chunk_id: int, score: Score, *, keyword: Candidate | None, vector: Candidate | None
) -> FusedCandidate:
    relevance = 0.0
    if keyword is not None:
        relevance += score(Arm.KEYWORD, keyword)
    if vector is not None:
        relevance += score(Arm.VECTOR, vector)
    return FusedCandidate(
        chunk_id=chunk_id, relevance=min(relevance, 1.0), keyword=keyword, vector=vector
    )
