"""Puts evidence in its final order, each hit with the receipt of its score."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from retrieval.ranking.blend import blend_factors, blend_weights
from retrieval.ranking.boosts import boosts
from retrieval.ranking.caps import exceeded_caps
from retrieval.ranking.duplicates import collapse
from retrieval.ranking.freshness import age_in_days, freshness
from retrieval.ranking.preference import prefer
from retrieval.ranking.profile import Profile
from retrieval.ranking.succession import step_back
from retrieval.types import Candidate, Evidence, FusedCandidate, Hit, Receipt
from retrieval.understanding import NO_PREFERENCES, Preferences


def rank(
    fused: Sequence[FusedCandidate],
    evidence: Mapping[int, Evidence],
    *,
    profile: Profile,
    as_of: datetime,
    preferences: Preferences = NO_PREFERENCES,
) -> list[Hit]:
    """Return every candidate that has evidence as a hit, best first, duplicates with the best one.

    The order is total: hits that no cap moved down, then score, then chunk id. It does not depend
    on how many hits are wanted. A chunk without evidence is gone since it was found.
    """
    weights = blend_weights(profile)
    blended = {
        found.chunk_id: _receipt(
            found, evidence[found.chunk_id], profile=profile, weights=weights, as_of=as_of
        )
        for found in fused
        if found.chunk_id in evidence
    }
    preferred = prefer(blended, evidence, preferences=preferences, profile=profile)
    receipts = step_back(preferred, evidence, as_of=as_of)
    scored = [(evidence[chunk_id], receipt) for chunk_id, receipt in receipts.items()]
    scored.sort(key=lambda pair: (-pair[1].score, pair[0].chunk_id))
    caps = exceeded_caps(
        (passage for passage, _ in scored),
        profile=profile,
        successors={
            passage.chunk_id: receipt.successor_id
            for passage, receipt in scored
            if receipt.successor_id is not None
        },
    )
    ordered = sorted(zip(scored, caps, strict=True), key=lambda entry: entry[1] != "")
    hits = [
        Hit(
            rank=position,
            score=receipt.score,
            evidence=passage,
            receipt=replace(receipt, cap=cap) if cap else receipt,
        )
        for position, ((passage, receipt), cap) in enumerate(ordered, start=1)
    ]
    return collapse(hits)


def _receipt(
    found: FusedCandidate,
    evidence: Evidence,
    *,
    profile: Profile,
    weights: Mapping[str, float],
    as_of: datetime,
) -> Receipt:
    age_days = age_in_days(evidence.published_at, as_of=as_of)
    factors = {
        "relevance": found.relevance,
        "freshness": freshness(
            age_days, half_life_days=evidence.half_life_days, undated=profile.undated_freshness
        ),
        "trust": evidence.trust,
        "authority": evidence.authority,
    }
    added = boosts(evidence, profile=profile)
    score = blend_factors(factors, weights, blend=profile.blend) + sum(added.values())
    return Receipt(
        keyword_rank=_rank(found.keyword),
        keyword_score=_score(found.keyword),
        vector_rank=_rank(found.vector),
        vector_score=_score(found.vector),
        rerank_score=found.rerank_score,
        relevance=factors["relevance"],
        freshness=factors["freshness"],
        age_days=age_days,
        half_life_days=evidence.half_life_days,
        trust=factors["trust"],
        authority=factors["authority"],
        blend=profile.blend,
        weights=weights,
        boosts=added,
        score=score,
    )


def _rank(candidate: Candidate | None) -> int | None:
    return None if candidate is None else candidate.rank


def _score(candidate: Candidate | None) -> float | None:
    return None if candidate is None else candidate.score
