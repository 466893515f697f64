"""Judges whether the evidence suffices to answer the question. Pure."""

from collections.abc import Sequence

from retrieval.ranking.profile import Profile
from retrieval.types import Hit, Judgment, Query, Verdict
from retrieval.verdict.confidence import passage_confidence
from retrieval.verdict.conflicts import Conflict, find_conflict

# Hits beyond these do not reach the reader of an answer.
JUDGED_HITS = 10
# Contradictions further down are about something else more often than not.
COMPARED_HITS = 5


def judge(
    hits: Sequence[Hit], *, query: Query, profile: Profile, is_degraded: bool = False
) -> Judgment:
    """Return the verdict on `hits`, drawn from meaning and from words.

    Ranks and fused scores do not count: they are the same for a perfect and a hopeless best hit.
    Without the vector arm (`is_degraded`) words alone can only make evidence weak. Evidence that
    would suffice but contradicts itself is conflicting.
    """
    judged = hits[:JUDGED_HITS]
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
    words = f"holds {best.evidence.coverage:.0%} of the weight of the question's words"
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
