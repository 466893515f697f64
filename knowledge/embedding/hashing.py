"""A deterministic embedder without a model: texts that share words are alike."""

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from knowledge.embedding.base import EmbeddingSpec, Vector

PROVIDER = "hashing"
HASHED_WORDS = "hashed-words-1"
DEFAULT_DIMENSIONS = 384
WORD_WEIGHT = 1.0
TRIGRAM_WEIGHT = 0.25

_WORD = re.compile(r"\w+")
_TOKEN = re.compile(r"\w{1,8}|[^\w\s]")


class RegexTokenizer:
    """Counts pieces of at most eight letters, and every sign; there are no special tokens."""

    name = "pieces-of-8-letters"

    def count(self, text: str) -> int:
        return len(_TOKEN.findall(text))

    def offsets(self, text: str) -> list[tuple[int, int]]:
        return [match.span() for match in _TOKEN.finditer(text)]


class HashingEmbedder:
    """Adds up hashed words and character trigrams; the same text has the same vector anywhere."""

    def __init__(self, *, dimensions: int = DEFAULT_DIMENSIONS, max_tokens: int = 256) -> None:
        self._spec = EmbeddingSpec(
            provider=PROVIDER,
            model=HASHED_WORDS,
            dimensions=dimensions,
            max_tokens=max_tokens,
        )

    @property
    def spec(self) -> EmbeddingSpec:
        return self._spec

    def load(self) -> None:
        """Do nothing: there is no model."""

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return [self._embed(text) for text in texts]

    def embed_query(self, text: str) -> Vector:
        return self._embed(text)

    def _embed(self, text: str) -> Vector:
        folded = text.casefold().strip()
        vector = np.zeros(self._spec.dimensions, dtype=np.float64)
        for (feature, weight), frequency in Counter(_features(folded)).items():
            position, sign = self._place(feature)
            vector[position] += sign * weight * np.sqrt(frequency)
        if not vector.any():
            position, sign = self._place(folded)
            vector[position] = sign
        unit: Vector = (vector / np.linalg.norm(vector)).astype(np.float32)
        return unit

    def _place(self, feature: str) -> tuple[int, int]:
        hashed = zlib.crc32(feature.encode("utf-8", "surrogatepass"))
        return (hashed >> 1) % self._spec.dimensions, 1 if hashed & 1 else -1


def _features(folded: str) -> Iterator[tuple[str, float]]:
    for match in _WORD.finditer(folded):
        word = match[0]
        yield word, WORD_WEIGHT
        padded = f"^{word}$"
        for start in range(len(padded) - 2):
            yield padded[start : start + 3], TRIGRAM_WEIGHT
