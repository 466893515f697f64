"""A tiny knowledge base and the steps of a conversation with the cache."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from cachemgr.keys import Scope
from cachemgr.services import look_up, offer, store_answer
from cachemgr.types import OfferedPassage
from knowledge.embedding.hashing import HashingEmbedder, RegexTokenizer
from knowledge.ingestion.types import ParsedDocument
from knowledge.models import EVERYONE, Document, EmbeddingSpace
from knowledge.services import create_source, store_document
from retrieval.types import Filters
from tests.factories.knowledge import ChunkFactory

NOW = datetime(2031, 7, 20, 12, tzinfo=UTC)
SPEC = HashingEmbedder().spec
QUESTION = "What is the refund period?"
OTHER_WORDS = "what is the refund period for us, please"


@pytest.fixture
def source(seeded):
    return create_source(name="Handbook", type_slug="company_website", trust=0.8)


def put(source, name, text, **values):
    """Store a document as ingestion does, a new version where there is one."""
    store_document(
        source=source,
        parsed=ParsedDocument(external_id=name, text=text, **values),
        embedder=HashingEmbedder(),
        tokenizer=RegexTokenizer(),
        now=NOW,
    )
    return Document.objects.get(source=source, external_id=name)


@dataclass
class Conversation:
    """Asks and answers with values that a test need not repeat."""

    scope: Scope
    embedder: HashingEmbedder
    chunk: object

    def look_up(self, question=QUESTION, *, now=NOW, scope=None, **options):
        return look_up(
            question=question,
            scope=scope or self.scope,
            embedder=self.embedder,
            now=now,
            **options,
        )

    def offer(self, question=QUESTION, *, now=NOW, scope=None, chunks=None) -> UUID:
        return offer(
            question=question,
            scope=scope or self.scope,
            vector=self.embedder.embed_query(question),
            evidence=[
                offered(chunk, number)
                for number, chunk in enumerate(chunks or [self.chunk], start=1)
            ],
            now=now,
        )

    def store(self, answer="Refunds are possible for 14 days [1].", *, key=None, **options):
        now = options.pop("now", NOW)
        scope = options.pop("scope", self.scope)
        return store_answer(
            key=key or self.offer(now=now, scope=scope, chunks=options.pop("chunks", None)),
            answer=answer,
            reader_tags=options.pop("reader_tags", scope.filters.access_tags),
            now=now,
            **options,
        )


def offered(chunk, number=1):
    return OfferedPassage(
        number=number,
        chunk_id=chunk.pk,
        content_hash=chunk.content_hash,
        document_id=chunk.document_id,
        source_id=chunk.source_id,
        trust=chunk.source.trust,
    )


def in_seconds(seconds):
    return NOW + timedelta(seconds=seconds)


def with_tags(scope, *tags):
    return replace(scope, filters=replace(scope.filters, access_tags=frozenset(tags)))


@pytest.fixture
def space(db):
    return EmbeddingSpace.objects.create(
        provider=SPEC.provider, model=SPEC.model, dimensions=SPEC.dimensions, status="active"
    )


@pytest.fixture
def chunk(db):
    return ChunkFactory(
        text="Refunds are possible within 14 days.",
        document__title="Refund policy",
        document__external_id="policy.md",
        document__source__name="Handbook",
        document__source__trust=0.8,
    )


@pytest.fixture
def conversation(space, chunk):
    scope = Scope(
        filters=Filters(access_tags=frozenset({EVERYONE})),
        profile="default",
        profile_version=1,
        space_id=space.pk,
    )
    return Conversation(scope=scope, embedder=HashingEmbedder(), chunk=chunk)
