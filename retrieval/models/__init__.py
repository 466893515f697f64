"""Models of the retrieval app."""

from retrieval.models.expansion import Intent, Synonym
from retrieval.models.gap import GapQuestion, GapStatus, KnowledgeGap
from retrieval.models.golden import EvaluationRun, GoldenQuestion, Judgement
from retrieval.models.index_check import IndexCheck
from retrieval.models.log import SearchLog
from retrieval.models.profile import (
    BlendMethod,
    ContextOrder,
    FusionMethod,
    ProfileStatus,
    RankingProfile,
    RankingProfileVersion,
)

__all__ = [
    "BlendMethod",
    "ContextOrder",
    "EvaluationRun",
    "FusionMethod",
    "GapQuestion",
    "GapStatus",
    "GoldenQuestion",
    "IndexCheck",
    "Intent",
    "Judgement",
    "KnowledgeGap",
    "ProfileStatus",
    "RankingProfile",
    "RankingProfileVersion",
    "SearchLog",
    "Synonym",
]
