"""The vector of a question, or why there is none."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from time import perf_counter

from knowledge.embedding.base import Embedder, Vector
from knowledge.embedding.following import FollowingEmbedder
from knowledge.embedding.vectors import check_vectors
from knowledge.exceptions import EmbeddingError, InvalidVectorError, SpaceMismatchError
from knowledge.services.spaces import find_answering

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What a question is compared by: a unit vector and the space its like are in.

    Without a vector `fault` tells why; it is empty when there is nothing to compare with yet.
    `milliseconds` is what the model took, whatever was done meanwhile.
    """

    vector: Vector | None = None
    space_id: int | None = None
    fault: str = ""
    milliseconds: float = 0.0


PendingMeaning = Callable[[], Meaning]
"""Waits for the meaning of a question; once it is there, returns it at once."""


def embed_question(question: str, *, embedder: Embedder, vector: Vector | None = None) -> Meaning:
    """Return the meaning of the question; `vector` is its vector where it was embedded before.

    An embedding model that fails, or that did not make the stored vectors, is a fault, no error.
    """
    return start_embedding(question, embedder=embedder, vector=vector)()


def start_embedding(
    question: str, *, embedder: Embedder, vector: Vector | None = None
) -> PendingMeaning:
    """Do what `embed_question` does, the model in a thread of its own while others are asked.

    The database is asked here, before the thread begins: connections belong to their thread. A
    `vector` counts only beside the one embedder that made it: which another follows may have
    changed since.
    """
    try:
        found = find_answering(embedder)
    except (SpaceMismatchError, EmbeddingError) as error:
        fault = _faulty(str(error))
        return lambda: fault
    if found is None:
        return Meaning
    space_id, own = found[0].pk, found[1]
    if vector is not None and not isinstance(embedder, FollowingEmbedder):
        given = _checked(lambda: vector, embedder=own, space_id=space_id)
        return lambda: given
    answer: Future[Meaning] = Future()

    def embed() -> None:
        try:
            answer.set_result(
                _checked(lambda: own.embed_query(question), embedder=own, space_id=space_id)
            )
        except BaseException as error:  # noqa: BLE001 - raised anew where the answer is waited for
            answer.set_exception(error)

    threading.Thread(target=embed, name="embed", daemon=True).start()
    return answer.result


def _checked(embed: Callable[[], Vector], *, embedder: Embedder, space_id: int) -> Meaning:
    started = perf_counter()
    try:
        (unit,) = check_vectors([embed()], embedder.spec, count=1)
    except (EmbeddingError, InvalidVectorError) as error:
        return _faulty(str(error))
    milliseconds = (perf_counter() - started) * 1000
    return Meaning(vector=unit, space_id=space_id, milliseconds=milliseconds)


def _faulty(reason: str) -> Meaning:
    logger.warning("question not embedded: %s", reason)
    return Meaning(fault=reason)
