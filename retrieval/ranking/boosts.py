"""Amounts added to a blended score, each with the name it has on the receipt."""

from retrieval.ranking.profile import Profile
from retrieval.types import Evidence


def boosts(evidence: Evidence, *, profile: Profile) -> dict[str, float]:
    """Return what to add to the score of `evidence`, by name; empty when nothing applies."""
    added: dict[str, float] = {}
    if profile.lexical_boost > 0 and evidence.coverage > 0:
        added["words"] = profile.lexical_boost * evidence.coverage
    return added
