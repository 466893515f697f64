"""Builds the policy of matching from the settings."""

from cachemgr.conf import cache_settings
from cachemgr.matching import MatchPolicy
from retrieval.rerank.stage import load_reranker


def match_policy(*, threshold: float | None = None) -> MatchPolicy:
    """Return the policy in force, with another similarity to exceed where one is given."""
    settings = cache_settings()
    return MatchPolicy(
        similarity_threshold=settings.similarity_threshold if threshold is None else threshold,
        added_word_similarity=settings.added_word_similarity,
        verifier=load_reranker(settings.verifier_model),
        verifier_threshold=settings.verifier_threshold,
    )
