"""Fixtures of the services' tests."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from knowledge.embedding.hashing import HashingEmbedder, RegexTokenizer
from knowledge.exceptions import EmbeddingError
from knowledge.ingestion.types import ParsedDocument
from knowledge.services import store_document
from knowledge.signals import content_changed
from tests.factories.knowledge import SourceFactory
from tests.integration.website import website

NOW = datetime(2031, 7, 20, 12, tzinfo=UTC)


class CountingEmbedder(HashingEmbedder):
    """Embeds, counts the texts it was asked for, and fails on demand."""

    def __init__(self):
        super().__init__()
        self.texts = []
        self.calls = 0
        self.is_broken = False
        self.refused_word = None

    def embed_passages(self, texts):
        self.calls += 1
        if self.is_broken or any(self.refused_word and self.refused_word in t for t in texts):
            message = "the server answers 500"
            raise EmbeddingError(message)
        self.texts.extend(texts)
        return super().embed_passages(texts)


@dataclass
class Shelf:
    """A source with what is needed to store into it."""

    source: object
    embedder: CountingEmbedder = field(default_factory=CountingEmbedder)
    tokenizer: RegexTokenizer = field(default_factory=RegexTokenizer)

    @property
    def tools(self):
        return {
            "source": self.source,
            "embedder": self.embedder,
            "tokenizer": self.tokenizer,
            "now": NOW,
        }

    def store(self, external_id="a.md", text="", **values):
        parsed = ParsedDocument(external_id=external_id, text=text, **values)
        return store_document(parsed=parsed, **self.tools)


@pytest.fixture
def shelf(seeded):
    """Give a source to store into."""
    return Shelf(source=SourceFactory(name="shelf"))


@pytest.fixture
def site(settings):
    """Run a web server that may be fetched from, without pauses between requests."""
    settings.CRMIND_KNOWLEDGE = {
        **settings.CRMIND_KNOWLEDGE,
        "FETCH_ALLOWED_HOSTS": ["127.0.0.1"],
        "FETCH_INTERVAL_SECONDS": 0.0,
        "FETCH_STEP_SECONDS": 0.15,
        "FETCH_ATTEMPTS": 1,
    }
    with website() as running:
        yield running


@pytest.fixture
def changes():
    """Collect the changes that are announced."""
    received = []

    def receive(sender, change, **_):
        received.append(change)

    content_changed.connect(receive)
    yield received
    content_changed.disconnect(receive)
