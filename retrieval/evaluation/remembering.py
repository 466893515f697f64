"""Embeds each question once, however often it is asked."""

from collections.abc import Sequence

from knowledge.embedding.base import Embedder, EmbeddingSpec, Vector
from knowledge.services.spaces import embedder_now


class RememberingEmbedder:
    """Keeps the vectors of questions as long as it lives: the same ones are asked twice.

    One that follows the active space stays what it is now.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder_now(embedder)
        self._vectors: dict[str, Vector] = {}

    @property
    def spec(self) -> EmbeddingSpec:
        return self._embedder.spec

    def load(self) -> None:
        """Load the model."""
        self._embedder.load()

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return self._embedder.embed_passages(texts)

    def embed_query(self, text: str) -> Vector:
        if text not in self._vectors:
            self._vectors[text] = self._embedder.embed_query(text)
        return self._vectors[text]
