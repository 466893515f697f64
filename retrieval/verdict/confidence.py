"""How sure it is that a passage is about what was asked. Pure."""

from retrieval.types import Evidence, Hit

# Every word may be there and the passage be about something else.
MOST_BY_WORDS = 0.9


def passage_confidence(hit: Hit) -> float:
    """Return 1 - (1 - similarity) x (1 - 0.9 x coverage), 0..1: both arms on the same passage.

    Meaning and words are taken as independent witnesses (noisy or): either may convince, and both
    together convince more. A passage without similarity has only its words, one below 0 counts as
    0.
    """
    similarity = min(max(hit.receipt.vector_score or 0.0, 0.0), 1.0)
    return 1 - (1 - similarity) * (1 - MOST_BY_WORDS * asked_coverage(hit.evidence))


def asked_coverage(evidence: Evidence) -> float:
    """Return the coverage, 0..1, of what was asked.

    The name of the entity that a question is about stands in everything about it and says nothing
    of what is asked of it; so the other words have to be covered as well.
    """
    if evidence.coverage_beside_names is None:
        return evidence.coverage
    return min(evidence.coverage, evidence.coverage_beside_names)
