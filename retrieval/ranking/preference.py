"""Puts what the question prefers into the scores: named sources, periods, intents, the newest."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from retrieval.ranking.blend import recompute_score
from retrieval.ranking.freshness import freshness
from retrieval.ranking.profile import Profile
from retrieval.types import Evidence, Receipt
from retrieval.understanding import About, Preference, PreferenceKind, Preferences

# Share of the best score from which a passage counts as being on the topic.
ON_TOPIC = 0.3
NEWEST = "newest"
ELSEWHERE = "elsewhere"
# Share of its score that a passage loses which is about none of the entities asked about.
ELSEWHERE_SHARE = 0.95


def profile_for(preferences: Preferences, *, profile: Profile) -> Profile:
    """Return the profile, without weight on freshness if the question names its period."""
    return replace(profile, freshness_weight=0.0) if preferences.names_period else profile


def prefer(
    receipts: Mapping[int, Receipt],
    evidence: Mapping[int, Evidence],
    *,
    preferences: Preferences,
    profile: Profile,
) -> dict[int, Receipt]:
    """Return the receipts, by chunk id, with what the question prefers among their boosts.

    Every amount is a share of the relevance or of the score, so nothing lifts what is irrelevant.
    Where the newest is asked for, age counts from the newest passage on the topic, not from today:
    the latest report is the latest, however long ago it came.
    """
    preferred = dict(receipts)
    if preferences.preferred:
        preferred = {
            chunk_id: _with_boosts(
                receipt, _gains(receipt, evidence[chunk_id], preferences.preferred, profile)
            )
            for chunk_id, receipt in receipts.items()
        }
    if preferences.about:
        preferred = {
            chunk_id: _with_boosts(
                receipt, _elsewhere(receipt, evidence[chunk_id], preferences.about)
            )
            for chunk_id, receipt in preferred.items()
        }
    most = preferences.recency * profile.recency_weight
    if most <= 0:
        return preferred
    # What is about the entity asked about is on the topic, however little its words have of it.
    least = 0.0 if preferences.about else ON_TOPIC
    youngest = _youngest_on_topic(preferred.values(), least=least)
    return {
        chunk_id: _with_boosts(
            receipt,
            {NEWEST: -most * (1 - _newness(receipt, youngest, profile)) * max(receipt.score, 0.0)},
        )
        for chunk_id, receipt in preferred.items()
    }


def _gains(
    receipt: Receipt, evidence: Evidence, preferred: Iterable[Preference], profile: Profile
) -> dict[str, float]:
    shares = {
        PreferenceKind.SOURCE: profile.named_source_boost,
        PreferenceKind.PERIOD: profile.period_boost,
    }
    return {
        preference.name: shares.get(preference.kind, preference.amount) * receipt.relevance
        for preference in preferred
        if _is_met(preference, evidence)
    }


def _elsewhere(receipt: Receipt, evidence: Evidence, about: Iterable[About]) -> dict[str, float]:
    """Return what is lost by a passage neither filed under an entity asked about nor names it."""
    written = f"{evidence.title} {evidence.text}".casefold()
    if any(
        each.entity_id in evidence.entity_ids or each.name.casefold() in written for each in about
    ):
        return {}
    return {ELSEWHERE: -ELSEWHERE_SHARE * max(receipt.score, 0.0)}


def _is_met(preference: Preference, evidence: Evidence) -> bool:
    if evidence.source_id in preference.source_ids:
        return True
    if evidence.source_type in preference.source_types:
        return True
    return _is_within(preference, evidence.published_at)


def _is_within(preference: Preference, published_at: datetime | None) -> bool:
    since, until = preference.since, preference.until
    if published_at is None or (since is None and until is None):
        return False
    return (since is None or published_at >= since) and (until is None or published_at < until)


def _youngest_on_topic(receipts: Iterable[Receipt], *, least: float) -> float:
    """Return the age in days of the newest dated passage that is on the topic."""
    dated = [
        receipt
        for receipt in receipts
        if receipt.age_days is not None and ELSEWHERE not in receipt.boosts
    ]
    best = max((receipt.score for receipt in dated), default=0.0)
    return min(
        (
            receipt.age_days
            for receipt in dated
            if receipt.age_days is not None and receipt.score >= least * best
        ),
        default=0.0,
    )


def _newness(receipt: Receipt, youngest: float, profile: Profile) -> float:
    age_days = None if receipt.age_days is None else max(receipt.age_days - youngest, 0.0)
    return freshness(
        age_days,
        half_life_days=profile.recency_half_life_days,
        undated=profile.undated_freshness,
    )


def _with_boosts(receipt: Receipt, amounts: Mapping[str, float]) -> Receipt:
    added = {name: amount for name, amount in amounts.items() if amount}
    if not added:
        return receipt
    boosted = replace(receipt, boosts={**receipt.boosts, **added})
    return replace(boosted, score=recompute_score(boosted))
