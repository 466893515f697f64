"""Blends relevance with freshness, trust and authority, and recomputes a score from its receipt."""

from collections.abc import Mapping

from retrieval.ranking.profile import Profile
from retrieval.types import Receipt


def blend_weights(profile: Profile) -> dict[str, float]:
    """Return the weights of the profile as receipts state them."""
    weights = {
        "relevance": profile.relevance_weight,
        "freshness": profile.freshness_weight,
        "trust": profile.trust_weight,
        "authority": profile.authority_weight,
    }
    if profile.blend == "bounded":
        weights["bound"] = profile.bound
    return weights


def classic(factors: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Return the weighted mean of all factors, 0..1."""
    return _mean(factors, weights, ("relevance", "freshness", "trust", "authority"))


def bounded(factors: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Return relevance raised or lowered by at most the share `bound` of itself.

    The mean of freshness, trust and authority decides: 1 raises by the whole bound, 0.5 changes
    nothing, 0 lowers by the whole bound.
    """
    quality = _mean(factors, weights, ("freshness", "trust", "authority"), neutral=0.5)
    return factors["relevance"] * (1 + weights["bound"] * (2 * quality - 1))


def blend_factors(
    factors: Mapping[str, float], weights: Mapping[str, float], *, blend: str
) -> float:
    """Return the score before boosts, by the blend of that name."""
    return (bounded if blend == "bounded" else classic)(factors, weights)


def recompute_score(receipt: Receipt) -> float:
    """Return the score that follows from the numbers of the receipt alone: exactly its score."""
    factors = {
        "relevance": receipt.relevance,
        "freshness": receipt.freshness,
        "trust": receipt.trust,
        "authority": receipt.authority,
    }
    blended = blend_factors(factors, receipt.weights, blend=receipt.blend)
    return blended + sum(receipt.boosts.values())


def _mean(
    factors: Mapping[str, float],
    weights: Mapping[str, float],
    names: tuple[str, ...],
    *,
    neutral: float = 0.0,
) -> float:
    total = weighed = 0.0
    for name in names:
        total += weights[name]
        weighed += weights[name] * factors[name]
    return weighed / total if total > 0 else neutral
