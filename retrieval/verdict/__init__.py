"""Whether the evidence suffices to answer. Pure."""

from retrieval.verdict.confidence import passage_confidence
from retrieval.verdict.judge import JUDGED_HITS, judge, verdict_of

__all__ = ["JUDGED_HITS", "judge", "passage_confidence", "verdict_of"]
