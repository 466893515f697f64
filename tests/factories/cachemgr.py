"""Rows of the response cache, with the least that each needs."""

from datetime import timedelta

import factory
from django.utils import timezone
from factory.django import DjangoModelFactory

from cachemgr.models import CachedCitation, CachedResponse
from knowledge.models import EmbeddingSpace
from tests.factories.knowledge import ChunkFactory


class EmbeddingSpaceFactory(DjangoModelFactory):
    class Meta:
        model = EmbeddingSpace
        django_get_or_create = ["provider", "model", "dimensions"]

    provider = "hashing"
    model = "hashed words"
    dimensions = 3


class CachedResponseFactory(DjangoModelFactory):
    class Meta:
        model = CachedResponse

    question = factory.Sequence(lambda number: f"Where is grail number {number}?")
    question_key = factory.Sequence(lambda number: f"{number:064x}")
    scope_fingerprint = "0" * 64
    scope = factory.LazyFunction(lambda: {"access_tags": ["everyone"], "profile": "balanced"})
    space = factory.SubFactory(EmbeddingSpaceFactory)
    vector = factory.LazyFunction(lambda: [1.0, 0.0, 0.0])
    answer = "In the castle [1]."
    created_at = factory.LazyFunction(timezone.now)
    expires_at = factory.LazyAttribute(lambda row: row.created_at + timedelta(days=7))


class CachedCitationFactory(DjangoModelFactory):
    class Meta:
        model = CachedCitation
        exclude = ["chunk"]

    response = factory.SubFactory(CachedResponseFactory)
    chunk = factory.SubFactory(ChunkFactory)
    number = 1
    chunk_id = factory.LazyAttribute(lambda row: row.chunk.pk)
    document_id = factory.LazyAttribute(lambda row: row.chunk.document_id)
    source_id = factory.LazyAttribute(lambda row: row.chunk.source_id)
    content_hash = factory.LazyAttribute(lambda row: row.chunk.content_hash)
    trust = 0.7
