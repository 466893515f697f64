"""Admin pages of the retrieval app."""

from retrieval.admin.evaluation import EvaluationRunAdmin
from retrieval.admin.expansion import IntentAdmin, SynonymAdmin
from retrieval.admin.gap import KnowledgeGapAdmin
from retrieval.admin.golden import GoldenQuestionAdmin, JudgementAdmin
from retrieval.admin.log import SearchLogAdmin
from retrieval.admin.profile import RankingProfileAdmin

__all__ = [
    "EvaluationRunAdmin",
    "GoldenQuestionAdmin",
    "IntentAdmin",
    "JudgementAdmin",
    "KnowledgeGapAdmin",
    "RankingProfileAdmin",
    "SearchLogAdmin",
    "SynonymAdmin",
]
