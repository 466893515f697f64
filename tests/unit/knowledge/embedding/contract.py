"""What every embedder promises."""

from abc import ABC, abstractmethod

import numpy as np
import pytest

from knowledge.embedding.base import Embedder

TEXTS = [
    "The pump stops at -20 degrees.",
    "a",
    "Notice of termination: three months.",
    "返品は三十日以内に受け付けます",
    "?!",
    "word " * 2_000,
    "broken \ud800 character",
]


class EmbedderContract(ABC):
    """Inherited by the tests of each embedder."""

    @pytest.fixture
    @abstractmethod
    def embedder(self) -> Embedder:
        """Return the embedder under test."""

    def test_embed_passages__one_unit_vector_for_each_text_in_order(self, embedder):
        vectors = embedder.embed_passages(TEXTS)

        assert len(vectors) == len(TEXTS)
        for text, vector in zip(TEXTS, vectors, strict=True):
            assert vector.dtype == np.float32
            assert vector.shape == (embedder.spec.dimensions,)
            assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)
            alone = embedder.embed_passages([text])[0]
            assert float(alone @ vector) == pytest.approx(1.0, abs=1e-4)

    def test_embed_passages__nothing(self, embedder):
        assert embedder.embed_passages([]) == []

    def test_embed_passages__same_text_twice(self, embedder):
        first, second = embedder.embed_passages(["same", "same"])

        assert float(first @ second) == pytest.approx(1.0, abs=1e-5)

    def test_embed_query__lies_nearest_to_the_passage_that_answers(self, embedder):
        query = embedder.embed_query("When does the pump stop?")
        similarities = [float(query @ vector) for vector in embedder.embed_passages(TEXTS)]

        assert int(np.argmax(similarities)) == 0
        assert np.linalg.norm(query) == pytest.approx(1.0, abs=1e-5)

    def test_embed_query__blank_text_has_a_vector(self, embedder):
        assert np.linalg.norm(embedder.embed_query(" ")) == pytest.approx(1.0, abs=1e-5)

    def test_spec__does_not_change(self, embedder):
        before = embedder.spec
        embedder.embed_query("a")

        assert embedder.spec == before
        assert before.max_tokens > 0
