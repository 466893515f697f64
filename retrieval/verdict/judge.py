"""Judges whether the evidence suffices to answer the question. Pure."""

from collections.abc import Sequence

from retrieval.ranking.preference import ELSEWHERE
from retrieval.ranking.profile import Profile
from retrieval.types import Hit, Judgment, Query, Verdict
from retrieval.verdict.confidence import asked_coverage, passage_confidence
from retrieval.verdict.conflicts import Conflict, find_conflict

# Hits beyond these do not reach the reader of an answer.
JUDGED_HITS = 10
# Contradictions further down are about something else more often than not.
COMPARED_HITS = 5
# Strength from which a question asks for the newest instead of preferring the present.
ASKS_FOR_NEWEST = 0.5
NEWEST_OF_ENTITY = "Still, it is the newest of what is filed under the entity asked about."


def judge(
    hits: Sequence[Hit], *, query: Query, profile: Profile, is_degraded: bool = False
) -> Judgment:
    """Return the verdict on `hits`, drawn from meaning and from words.

    Ranks and fused scores do not count: they are the same for a perfect and a hopeless best hit.
    Without the vector arm (`is_degraded`) words alone can only make evidence weak. Evidence that
    would suffice but contradicts itself is conflicting. What is about another entity than those
    asked about is no evidence, unless there is nothing else. The newest of what is filed under an
    entity is weak evidence at least where that is asked for, whatever its words.
    """
    judged = _about_what_was_asked(hits[:JUDGED_HITS])
    if not judged:
        return Judgment(
            verdict=Verdict.NONE,
            reasons=("Nothing was found.",),
            best_similarity=0.0,
            best_coverage=0.0,
            confidence=0.0,
        )
    best = max(judged, key=passage_confidence)
    confidence = passage_confidence(best)
    verdict = verdict_of(confidence, profile=profile, is_degraded=is_degraded)
    reasons = _reasons(best, confidence, verdict, profile=profile, is_degraded=is_degraded)
    if verdict is Verdict.NONE and _is_newest_of_entity(judged[0], query):
        verdict, reasons = Verdict.WEAK, (*reasons, NEWEST_OF_ENTITY)
    conflict = _conflict(judged, query, profile) if verdict is Verdict.ANSWERABLE else None
    if conflict is not None:
        verdict, reasons = Verdict.CONFLICTING, (*reasons, conflict.as_reason())
    similarities = (hit.receipt.vector_score for hit in judged)
    return Judgment(
        verdict=verdict,
        reasons=reasons,
        best_similarity=max((score for score in similarities if score is not None), default=0.0),
        best_coverage=max(hit.evidence.coverage for hit in judged),
        confidence=confidence,
    )


def verdict_of(confidence: float, *, profile: Profile, is_degraded: bool = False) -> Verdict:
    """Return what the thresholds of the profile make of a confidence."""
    if confidence < profile.weak_confidence:
        return Verdict.NONE
    if is_degraded or confidence < profile.answerable_confidence:
        return Verdict.WEAK
    return Verdict.ANSWERABLE


def _is_newest_of_entity(hit: Hit, query: Query) -> bool:
    preferences = query.understanding.preferences
    asked = {about.entity_id for about in preferences.about} | set(query.filters.entity_ids)
    return preferences.recency >= ASKS_FOR_NEWEST and bool(asked & set(hit.evidence.entity_ids))


def _about_what_was_asked(hits: Sequence[Hit]) -> Sequence[Hit]:
    return [hit for hit in hits if ELSEWHERE not in hit.receipt.boosts] or hits


def _conflict(hits: Sequence[Hit], query: Query, profile: Profile) -> Conflict | None:
    strong = [
        hit.evidence
        for hit in hits[:COMPARED_HITS]
        if passage_confidence(hit) >= profile.answerable_confidence
    ]
    return find_conflict(query.question, strong, as_of=query.as_of)


def _reasons(
    best: Hit, confidence: float, verdict: Verdict, *, profile: Profile, is_degraded: bool
) -> tuple[str, ...]:
    words = f"holds {asked_coverage(best.evidence):.0%} of the weight of the question's words"
    if is_degraded:
        return (
            "Meaning could not be compared; only words were searched.",
            f"The best passage {words}.",
            _threshold_reason(confidence, verdict, profile),
        )
    similarity = best.receipt.vector_score or 0.0
    return (
        f"The best passage is similar to the question by {similarity:.2f} and {words}.",
        _threshold_reason(confidence, verdict, profile),
    )


def _threshold_reason(confidence: float, verdict: Verdict, profile: Profile) -> str:
    weak, answerable = profile.weak_confidence, profile.answerable_confidence
    if verdict is Verdict.NONE:
        return f"Together a confidence of {confidence:.2f}: below {weak:.2f} there is no evidence."
    if confidence >= answerable:
        return f"Together a confidence of {confidence:.2f}, at least {answerable:.2f}."
    return (
        f"Together a confidence of {confidence:.2f}: from {weak:.2f} on evidence is weak, from "
        f"{answerable:.2f} on it suffices."
    )
