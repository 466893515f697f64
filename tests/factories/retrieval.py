"""Rows of the retrieval app, with the least that each needs."""

import factory
from factory.django import DjangoModelFactory

from retrieval.models import (
    EvaluationRun,
    GapQuestion,
    GoldenQuestion,
    Intent,
    Judgement,
    KnowledgeGap,
    RankingProfile,
    SearchLog,
    Synonym,
)
from tests.factories.cachemgr import EmbeddingSpaceFactory
from tests.factories.knowledge import DocumentFactory


class RankingProfileFactory(DjangoModelFactory):
    class Meta:
        model = RankingProfile

    slug = factory.Sequence(lambda number: f"profile-{number}")
    label = factory.Sequence(lambda number: f"Profile {number}")


class SynonymFactory(DjangoModelFactory):
    class Meta:
        model = Synonym

    terms = factory.LazyFunction(lambda: ["grail", "cup"])


class IntentFactory(DjangoModelFactory):
    class Meta:
        model = Intent

    slug = factory.Sequence(lambda number: f"intent-{number}")
    label = factory.Sequence(lambda number: f"Intent {number}")
    keywords = factory.LazyFunction(lambda: ["price"])


class GoldenQuestionFactory(DjangoModelFactory):
    class Meta:
        model = GoldenQuestion

    text = factory.Sequence(lambda number: f"What is your quest, number {number}?")


class JudgementFactory(DjangoModelFactory):
    class Meta:
        model = Judgement

    question = factory.SubFactory(GoldenQuestionFactory)
    document = factory.SubFactory(DocumentFactory)
    grade = 3


class EvaluationRunFactory(DjangoModelFactory):
    class Meta:
        model = EvaluationRun

    dataset = "golden set"
    profile = factory.SubFactory(RankingProfileFactory)
    profile_version = 1
    question_count = 25
    measures = factory.LazyFunction(lambda: {"hybrid": {"ndcg@10": 0.81}})


class SearchLogFactory(DjangoModelFactory):
    class Meta:
        model = SearchLog

    question = "Where is the grail?"
    question_hash = "0" * 64
    profile_slug = "balanced"
    verdict = "weak"
    origin = "api"


class KnowledgeGapFactory(DjangoModelFactory):
    class Meta:
        model = KnowledgeGap

    question = "Where is the grail?"
    space = factory.SubFactory(EmbeddingSpaceFactory)
    vector = factory.LazyFunction(lambda: [1.0, 0.0, 0.0])


class GapQuestionFactory(DjangoModelFactory):
    class Meta:
        model = GapQuestion

    gap = factory.SubFactory(KnowledgeGapFactory)
    search = factory.SubFactory(SearchLogFactory)
