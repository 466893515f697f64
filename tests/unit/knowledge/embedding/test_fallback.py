"""The same model at a second place."""

import numpy as np
import pytest

from knowledge.embedding.fallback import FallbackEmbedder
from knowledge.embedding.hashing import HashingEmbedder
from knowledge.exceptions import EmbeddingError
from tests.unit.knowledge.embedding.contract import EmbedderContract


class Down(HashingEmbedder):
    """Answers until it is down."""

    is_down = False

    def embed_query(self, text):
        if self.is_down:
            message = "the server is down."
            raise EmbeddingError(message)
        return super().embed_query(text)


class Shifted(HashingEmbedder):
    """Another model of the same width."""

    def embed_query(self, text):
        return np.roll(super().embed_query(text), 1)


class TestFallbackEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self):
        return FallbackEmbedder(HashingEmbedder(), HashingEmbedder())


def test_embed_query__the_second_answers_while_the_first_is_down():
    first = Down()
    embedder = FallbackEmbedder(first, HashingEmbedder())
    embedder.embed_query("pump")
    first.is_down = True

    assert np.array_equal(embedder.embed_query("valve"), HashingEmbedder().embed_query("valve"))


@pytest.mark.parametrize("second", [Shifted(), HashingEmbedder(dimensions=8)])
def test_embed_query__one_that_makes_other_vectors_never_answers(second):
    first = Down()
    embedder = FallbackEmbedder(first, second)
    embedder.embed_query("pump")
    first.is_down = True

    with pytest.raises(EmbeddingError, match="the server is down"):
        embedder.embed_query("valve")


def test_embed_query__one_that_could_not_be_compared_yet_does_not_answer():
    first = Down()
    first.is_down = True

    with pytest.raises(EmbeddingError, match="the server is down"):
        FallbackEmbedder(first, HashingEmbedder()).embed_query("pump")
