"""The vector of a question, or why there is none."""

import logging
from dataclasses import dataclass

from knowledge.embedding.base import Embedder, Vector
from knowledge.embedding.vectors import check_vectors
from knowledge.exceptions import EmbeddingError, InvalidVectorError
from knowledge.services.spaces import find_active_space, is_space_of, mismatch_message

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What a question is compared by: a unit vector and the space its like are in.

    Without a vector `fault` tells why; it is empty when there is nothing to compare with yet.
    """

    vector: Vector | None = None
    space_id: int | None = None
    fault: str = ""


def embed_question(question: str, *, embedder: Embedder, vector: Vector | None = None) -> Meaning:
    """Return the meaning of the question; `vector` is its vector where it was embedded before.

    An embedding model that fails, or that did not make the stored vectors, is a fault, no error.
    """
    space = find_active_space()
    if space is None:
        return Meaning()
    if not is_space_of(space, embedder.spec):
        return _faulty(mismatch_message(space, embedder.spec))
    try:
        given = embedder.embed_query(question) if vector is None else vector
        (unit,) = check_vectors([given], embedder.spec, count=1)
    except (EmbeddingError, InvalidVectorError) as error:
        return _faulty(str(error))
    return Meaning(vector=unit, space_id=space.pk)


def _faulty(reason: str) -> Meaning:
    logger.warning("question not embedded: %s", reason)
    return Meaning(fault=reason)
