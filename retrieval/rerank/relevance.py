"""Puts the judgement of a reranker in the place of the relevance of fusion. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from retrieval.types import FusedCandidate


def with_rerank_scores(
    fused: Sequence[FusedCandidate], scores: Mapping[int, float]
) -> list[FusedCandidate]:
    """Return the candidates, best first, with the scores (0..1, by chunk id) as their relevance.

    What was not scored keeps its order and is worth no more than the worst that was.
    """
    if not scores:
        return list(fused)
    least = min(scores.values())
    reranked = [
        replace(found, relevance=scores[found.chunk_id], rerank_score=scores[found.chunk_id])
        if found.chunk_id in scores
        else replace(found, relevance=found.relevance * least)
        for found in fused
    ]
    return sorted(
        reranked,
        key=lambda found: (found.rerank_score is None, -found.relevance, found.chunk_id),
    )
