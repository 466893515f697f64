"""The same model at a second place, for when the first is down."""

import logging
import threading
from collections import deque
from collections.abc import Sequence

from knowledge.embedding.base import Embedder, EmbeddingSpec, Vector
from knowledge.exceptions import EmbeddingError, InvalidVectorError

logger = logging.getLogger(__name__)

# Half precision and another runtime move a vector by less; another model by far more.
LEAST_COSINE = 0.99
PROOFS = 3

Fault = EmbeddingError | InvalidVectorError


class FallbackEmbedder:
    """Embeds questions by a second embedder while the first fails.

    Only one that makes the same vectors serves: it has to repeat those of the last questions that
    the first answered, else the fault of the first stands. Passages wait for the first.
    """

    def __init__(self, first: Embedder, second: Embedder) -> None:
        self._first = first
        self._second = second
        self._answered: deque[tuple[str, Vector]] = deque(maxlen=PROOFS)
        self._is_proven = False
        self._lock = threading.Lock()

    @property
    def spec(self) -> EmbeddingSpec:
        return self._first.spec

    def load(self) -> None:
        self._first.load()

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return self._first.embed_passages(texts)

    def embed_query(self, text: str) -> Vector:
        try:
            vector = self._first.embed_query(text)
        except (EmbeddingError, InvalidVectorError) as fault:
            return self._embed_instead(text, fault)
        self._answered.append((text, vector))
        return vector

    def _embed_instead(self, text: str, fault: Fault) -> Vector:
        with self._lock:
            if not self._is_proven:
                self._prove(fault)
        logger.warning("question embedded by the fallback model: %s", fault)
        return self._second.embed_query(text)

    def _prove(self, fault: Fault) -> None:
        proofs = list(self._answered)
        if not proofs or self._second.spec.dimensions != self.spec.dimensions:
            raise fault
        for text, vector in proofs:
            cosine = float(self._second.embed_query(text) @ vector)
            if cosine < LEAST_COSINE:
                message = (
                    f"{fault} EMBEDDING_FALLBACK_MODEL makes other vectors (cosine {cosine:.2f})"
                    " and is not used."
                )
                raise EmbeddingError(message) from fault
        self._is_proven = True
