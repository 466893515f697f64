"""Judges whether the evidence suffices to answer the question."""

from collections.abc import Sequence

from retrieval.ranking.profile import Profile
from retrieval.types import Hit, Judgment, Verdict

# Hits beyond these do not reach the reader of an answer.
JUDGED_HITS = 10


def judge(hits: Sequence[Hit], *, profile: Profile, is_degraded: bool = False) -> Judgment:
    """Return the verdict on `hits`, drawn from meaning and from words.

    Ranks and fused scores do not count: they are the same for a perfect and a hopeless best hit.
    Without the vector arm (`is_degraded`) words alone can only make evidence weak.
    """
    judged = hits[:JUDGED_HITS]
    similarities = (hit.receipt.vector_score for hit in judged)
    similarity = max((score for score in similarities if score is not None), default=0.0)
    coverage = max((hit.evidence.coverage for hit in judged), default=0.0)
    verdict = _verdict(similarity, coverage, profile) if judged else Verdict.NONE
    if is_degraded and judged:
        verdict = Verdict.WEAK if coverage >= profile.min_coverage else Verdict.NONE
    return Judgment(
        verdict=verdict,
        reasons=_reasons(judged, similarity, coverage, profile=profile, is_degraded=is_degraded),
        best_similarity=similarity,
        best_coverage=coverage,
    )


def _verdict(similarity: float, coverage: float, profile: Profile) -> Verdict:
    is_covered = coverage >= profile.min_coverage
    if similarity >= profile.answerable_similarity:
        return Verdict.ANSWERABLE
    if similarity >= profile.weak_similarity:
        return Verdict.ANSWERABLE if is_covered else Verdict.WEAK
    return Verdict.WEAK if is_covered else Verdict.NONE


def _reasons(
    hits: Sequence[Hit], similarity: float, coverage: float, *, profile: Profile, is_degraded: bool
) -> tuple[str, ...]:
    if not hits:
        return ("Nothing was found.",)
    if is_degraded:
        return (
            "Meaning could not be compared; only words were searched.",
            _words_reason(coverage, profile),
        )
    return _meaning_reason(similarity, profile), _words_reason(coverage, profile)


def _meaning_reason(similarity: float, profile: Profile) -> str:
    if similarity >= profile.answerable_similarity:
        return (
            f"The closest passage is close in meaning: similarity {similarity:.2f}, "
            f"at least {profile.answerable_similarity:.2f}."
        )
    if similarity >= profile.weak_similarity:
        return (
            f"The closest passage is related in meaning: similarity {similarity:.2f}, between "
            f"{profile.weak_similarity:.2f} and {profile.answerable_similarity:.2f}."
        )
    return (
        f"No passage is close in meaning: the best similarity is {similarity:.2f}, "
        f"below {profile.weak_similarity:.2f}."
    )


def _words_reason(coverage: float, profile: Profile) -> str:
    share = f"{coverage:.0%} of the weight of the question's words"
    if coverage >= profile.min_coverage:
        return f"One passage holds {share}, at least {profile.min_coverage:.0%}."
    return f"The best passage holds {share}, less than {profile.min_coverage:.0%}."
