"""Searching without a usable vector."""

import numpy as np
import pytest

from knowledge.embedding.hashing import HashingEmbedder
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


@pytest.mark.parametrize(
    ("embedder", "warning"),
    [
        (CountingEmbedder(fault=EmbeddingError("The model is away.")), "The model is away."),
        (ZeroEmbedder(), "is zero"),
        (NotANumberEmbedder(), "NaN"),
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
