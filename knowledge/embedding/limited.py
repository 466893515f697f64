"""Keeps a slow model from holding up the one who asks."""

import atexit
import threading
from collections.abc import Sequence
from concurrent.futures import Future, wait

from knowledge.embedding.base import Embedder, EmbeddingSpec, Vector
from knowledge.exceptions import EmbeddingError

# A model whose process ends under it brings the process down with a crash.
SECONDS_TO_END = 10.0
_unheard: set[Future[Vector]] = set()


@atexit.register
def let_questions_end() -> None:
    """Wait a while for the questions that were given up."""
    wait(set(_unheard), timeout=SECONDS_TO_END)


class TimeLimitedEmbedder:
    """Embeds through another embedder, and gives a question up that takes too long.

    Loading the model does not count. A question given up goes on unheard in a thread of its own;
    until it is through, the model is taken for busy and further questions fail at once. Passages
    take the time they take.
    """

    def __init__(self, embedder: Embedder, *, limit_ms: int) -> None:
        self._embedder = embedder
        self._limit_ms = limit_ms
        self._overdue: set[Future[Vector]] = set()

    @property
    def spec(self) -> EmbeddingSpec:
        return self._embedder.spec

    def load(self) -> None:
        self._embedder.load()

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return self._embedder.embed_passages(texts)

    def embed_query(self, text: str) -> Vector:
        if self._overdue:
            message = "the embedding model is still busy with an earlier question"
            raise EmbeddingError(message)
        self.load()
        answer: Future[Vector] = Future()
        threading.Thread(target=self._fulfil, args=(answer, text), daemon=True).start()
        if wait([answer], timeout=self._limit_ms / 1_000).not_done:
            for questions in (self._overdue, _unheard):
                questions.add(answer)
                answer.add_done_callback(questions.discard)
            message = f"the embedding model did not answer within {self._limit_ms} ms"
            raise EmbeddingError(message)
        try:
            return answer.result()
        except OSError as error:
            message = f"the embedding model cannot be reached: {error}"
            raise EmbeddingError(message) from error

    def _fulfil(self, answer: Future[Vector], text: str) -> None:
        try:
            answer.set_result(self._embedder.embed_query(text))
        except Exception as error:  # noqa: BLE001 - raised anew where the answer is waited for
            answer.set_exception(error)
