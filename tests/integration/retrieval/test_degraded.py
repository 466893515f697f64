"""Searching without a usable vector."""

import threading

import numpy as np
import pytest

from knowledge.embedding.hashing import HashingEmbedder
from knowledge.embedding.limited import TimeLimitedEmbedder
from knowledge.exceptions import EmbeddingError
from retrieval.types import Verdict
from tests.integration.retrieval.conftest import CountingEmbedder

pytestmark = pytest.mark.django_db


class ZeroEmbedder(HashingEmbedder):
    """Returns a vector that is near to everything."""

    def embed_query(self, text):
        return np.zeros(384, dtype=np.float32)


class NotANumberEmbedder(HashingEmbedder):
    """Returns a vector without numbers."""

    def embed_query(self, text):
        return np.full(384, np.nan, dtype=np.float32)


class NarrowEmbedder(HashingEmbedder):
    """Returns fewer numbers than it promises."""

    def embed_query(self, text):
        return np.ones(3, dtype=np.float32)


class SlowEmbedder(HashingEmbedder):
    """Answers when it is let go."""

    def __init__(self):
        super().__init__()
        self.let_go = threading.Event()

    def embed_query(self, text):
        assert self.let_go.wait(60)
        return super().embed_query(text)


@pytest.fixture
def slow():
    embedder = SlowEmbedder()
    yield embedder
    embedder.let_go.set()


def limited(fault):
    return TimeLimitedEmbedder(CountingEmbedder(fault=fault), limit_ms=60_000)


@pytest.mark.parametrize(
    ("embedder", "warning"),
    [
        (CountingEmbedder(fault=EmbeddingError("The server answers 500.")), "answers 500"),
        (limited(ConnectionRefusedError("refused")), "cannot be reached: refused"),
        (limited(TimeoutError("timed out")), "cannot be reached: timed out"),
        (ZeroEmbedder(), "is zero"),
        (NotANumberEmbedder(), "NaN"),
        (NarrowEmbedder(), "3"),
        (HashingEmbedder(dimensions=64), "Vectors of two models cannot be compared"),
    ],
)
def test_search__without_a_vector_words_still_answer(castle, embedder, warning):
    result = castle.search("unladen swallow", embedder=embedder)
    assert result.is_degraded
    assert warning in result.warnings[0]
    assert [hit.evidence.external_id for hit in result.hits] == ["swallow.txt"]
    assert result.hits[0].receipt.vector_rank is None
    assert result.judgment.verdict is Verdict.WEAK


def test_search__a_slow_model_does_not_hold_the_search(castle, slow):
    embedder = TimeLimitedEmbedder(slow, limit_ms=1)
    for told in ("did not answer within 1 ms", "still busy with an earlier question"):
        result = castle.search("unladen swallow", embedder=embedder)
        assert result.is_degraded
        assert told in result.warnings[0]
        assert [hit.evidence.external_id for hit in result.hits] == ["swallow.txt"]
