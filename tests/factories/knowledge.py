"""Rows of the knowledge app, with the least that each needs."""

from datetime import UTC, datetime

import factory
from factory.django import DjangoModelFactory

from knowledge.models import Chunk, Document, DocumentStatus, Entity, EntityKind, Source, SourceType


class SourceTypeFactory(DjangoModelFactory):
    class Meta:
        model = SourceType
        django_get_or_create = ["slug"]

    slug = "blog_post"
    label = factory.LazyAttribute(lambda row: row.slug.replace("_", " ").capitalize())
    authority = 0.6
    half_life_days = 60.0


class SourceFactory(DjangoModelFactory):
    class Meta:
        model = Source

    name = factory.Sequence(lambda number: f"source {number}")
    source_type = factory.SubFactory(SourceTypeFactory)


class EntityFactory(DjangoModelFactory):
    class Meta:
        model = Entity

    kind = EntityKind.COMPANY
    name = factory.Sequence(lambda number: f"Company {number}")


class DocumentFactory(DjangoModelFactory):
    class Meta:
        model = Document

    source = factory.SubFactory(SourceFactory)
    external_id = factory.Sequence(lambda number: f"document-{number}.txt")
    fetched_at = datetime(2031, 7, 20, 12, tzinfo=UTC)
    language = "english"
    status = DocumentStatus.READY


class ChunkFactory(DjangoModelFactory):
    class Meta:
        model = Chunk

    document = factory.SubFactory(DocumentFactory)
    source = factory.SelfAttribute("document.source")
    source_type = factory.SelfAttribute("source.source_type")
    position = factory.Sequence(lambda number: number)
    text = "Holy Grail"
    start = 0
    end = factory.LazyAttribute(lambda row: len(row.text))
    token_count = 4
    content_hash = factory.Sequence(lambda number: f"{number:064x}")
    search_vector = ""
    language = "english"
