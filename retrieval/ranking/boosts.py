"""Amounts added to a blended score, each with the name it has on the receipt."""

from datetime import datetime

from retrieval.ranking.blend import largest_score
from retrieval.ranking.profile import Profile
from retrieval.types import Evidence


def boosts(evidence: Evidence, *, profile: Profile, as_of: datetime) -> dict[str, float]:
    """Return what to add to the score of `evidence`, by name; empty when nothing applies."""
    added: dict[str, float] = {}
    if profile.lexical_boost > 0 and evidence.coverage > 0:
        added["words"] = profile.lexical_boost * evidence.coverage
    outdated = outdated_because(evidence, as_of=as_of)
    if outdated:
        # Whatever its relevance, it comes after its successor.
        added[outdated] = -largest_score(profile)
    return added


def outdated_because(evidence: Evidence, *, as_of: datetime) -> str:
    """Return why the document does not hold at `as_of`; empty when it does."""
    if evidence.is_superseded:
        return "superseded"
    if evidence.valid_until is not None and evidence.valid_until <= as_of:
        return "expired"
    if evidence.valid_from is not None and evidence.valid_from > as_of:
        return "not yet valid"
    return ""
