"""The interfaces that models implement."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingSpec:
    """Identity of a model: vectors compare only when provider, model and dimensions all agree.

    `max_tokens` counts special tokens: text beyond it would not change the vector.
    """

    provider: str
    model: str
    dimensions: int
    max_tokens: int


class Tokenizer(Protocol):
    """Counts text as the model will."""

    @property
    def name(self) -> str:
        """What a budget in its tokens is told in: the name of the model, or of the rule."""
        ...

    def count(self, text: str) -> int:
        """Return the number of tokens of `text`, special tokens included."""
        ...

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """Return the character span of each token of `text` in order, special tokens excluded."""
        ...


class Embedder(Protocol):
    """Turns text into unit vectors of `spec.dimensions` numbers."""

    @property
    def spec(self) -> EmbeddingSpec: ...

    def load(self) -> None:
        """Load the model now, which the first text would else wait for. Raises EmbeddingError."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, in order. Raises EmbeddingError."""
        ...

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question. Raises EmbeddingError."""
        ...


class Reranker(Protocol):
    """Reads a question and a passage together and tells how well the one answers the other."""

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return 0..1 per passage, in order, higher for better. Raises EmbeddingError."""
        ...
