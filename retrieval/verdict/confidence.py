"""How sure it is that a passage is about what was asked. Pure."""

from retrieval.types import Hit

# Every word may be there and the passage be about something else.
MOST_BY_WORDS = 0.9


def passage_confidence(hit: Hit) -> float:
    """Return 1 - (1 - similarity) x (1 - 0.9 x coverage), 0..1: both arms on the same passage.

    Meaning and words are taken as independent witnesses (noisy or): either may convince, and both
    together convince more. A passage without similarity has only its words, one below 0 counts as
    0.
    """
    similarity = min(max(hit.receipt.vector_score or 0.0, 0.0), 1.0)
    return 1 - (1 - similarity) * (1 - MOST_BY_WORDS * hit.evidence.coverage)
