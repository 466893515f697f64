"""A tiny library, filled by the product's own ingestion, and questions to it."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from knowledge.embedding.hashing import HashingEmbedder, RegexTokenizer
from knowledge.ingestion.types import ParsedDocument
from knowledge.models import Chunk, Document
from knowledge.services import (
    Outcome,
    ensure_source,
    refresh_term_statistics,
    store_documents,
)
from retrieval.pipeline import search
from retrieval.query.parse import SearchRequest
from retrieval.seed import seed_profiles

NOW = datetime(2031, 7, 20, 12, tzinfo=UTC)
EVERYONE = frozenset({"everyone"})


@dataclass
class CountingEmbedder(HashingEmbedder):
    """Counts the questions it embeds; fails with `fault` if it is given one."""

    fault: Exception | None = None
    asked: list[str] = field(default_factory=list)

    def __post_init__(self):
        super().__init__()

    def embed_query(self, text):
        self.asked.append(text)
        if self.fault is not None:
            raise self.fault
        return super().embed_query(text)


@dataclass
class Library:
    """Documents by external id, and a reader's questions."""

    embedder: CountingEmbedder

    def add(self, external_id, text, *, source="Camelot", type_slug="blog_post", **values):
        self._store({external_id: text}, source=source, type_slug=type_slug, **values)
        return Document.objects.get(external_id=external_id, source__name=source)

    def add_all(self, texts, *, source="Camelot", type_slug="blog_post", **values):
        self._store(texts, source=source, type_slug=type_slug, **values)

    def _store(self, texts, *, source, type_slug, **values):
        outcomes = store_documents(
            source=ensure_source(name=source, type_slug=type_slug),
            parsed=[
                ParsedDocument(external_id=external_id, text=text, **values)
                for external_id, text in texts.items()
            ],
            embedder=self.embedder,
            tokenizer=RegexTokenizer(),
            now=NOW,
        )
        assert {outcome.outcome for outcome in outcomes} == {Outcome.ADDED}
        refresh_term_statistics()

    def search(self, question, *, tags=EVERYONE, now=NOW, embedder=None, **values):
        return search(
            SearchRequest(question=question, **values),
            reader_tags=tags,
            now=now,
            embedder=embedder or self.embedder,
        )

    def found(self, question, **options):
        """Return the external ids of the hits, best first."""
        return [hit.evidence.external_id for hit in self.search(question, **options).hits]

    def chunk_id(self, external_id):
        return Chunk.objects.get(document__external_id=external_id).pk


@pytest.fixture
def library(seeded):
    """Give an empty library with the shipped profile."""
    seed_profiles()
    return Library(CountingEmbedder())


@pytest.fixture
def castle(library):
    """Give a library of four short documents."""
    library.add_all(
        {
            "grail.txt": "The grail is in the castle of Anthrax.",
            "swallow.txt": "An unladen swallow carries a coconut by the husk.",
            "bridge.txt": "The keeper of the bridge of death asks three questions.",
            "rabbit.txt": "A holy hand grenade is good against the rabbit of Caerbannog.",
        }
    )
    return library
