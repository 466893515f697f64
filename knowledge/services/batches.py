"""Indexes documents in batches: one embedding call for many, one transaction for each."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.db import DatabaseError, OperationalError

from crmind.exceptions import CRMindError
from knowledge.embedding.base import Embedder, Vector
from knowledge.embedding.vectors import check_vectors
from knowledge.exceptions import EmbeddingError, InvalidDocumentError
from knowledge.ingestion import store
from knowledge.ingestion.pipeline import Passage
from knowledge.services.passages import StaleVectorsError, plan_swap
from knowledge.services.types import StoreFailure, StoreOutcome

logger = logging.getLogger(__name__)

ATTEMPTS = 5

Vectors = dict[str, Vector]


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A document whose passages are ready; `write` stores them, given vectors by content hash."""

    external_id: str
    title: str
    document_id: int | None
    passages: tuple[Passage, ...]
    write: Callable[[Mapping[str, Vector]], StoreOutcome]


def index_batch(
    batch: Sequence[Work], *, embedder: Embedder, space_id: int
) -> Iterator[StoreOutcome | StoreFailure]:
    """Embed what lacks vectors, then write each document; yield what became of each, in order.

    Nothing of a document is written unless all its vectors are there.
    """
    texts = [_texts_to_embed(work, found) for work, found in _with_stored(batch, space_id)]
    vectors = _embed_together(texts, embedder)
    for work, wanted in zip(batch, texts, strict=True):
        try:
            own = vectors if wanted.keys() <= vectors.keys() else _embed(wanted, embedder)
            yield _write(work, own, embedder)
        except CRMindError as error:
            yield StoreFailure(external_id=work.external_id, title=work.title, error=error)


def _with_stored(
    batch: Sequence[Work], space_id: int
) -> Iterator[tuple[Work, Sequence[store.StoredPassage]]]:
    ids = [work.document_id for work in batch if work.document_id is not None]
    stored = store.read_passages(ids, space_id=space_id)
    for work in batch:
        yield work, stored.get(work.document_id or 0, ())


def _texts_to_embed(work: Work, stored: Sequence[store.StoredPassage]) -> dict[str, str]:
    return plan_swap(stored, work.passages).to_embed


def _embed_together(texts: Iterable[Mapping[str, str]], embedder: Embedder) -> Vectors:
    """Embed the texts of several documents at once; none at all if one of them cannot be."""
    wanted = {key: text for each in texts for key, text in each.items()}
    try:
        return _embed(wanted, embedder)
    except CRMindError as error:
        logger.warning("embedding %s passages together failed: %s", len(wanted), error)
        return {}


def _embed(texts: Mapping[str, str], embedder: Embedder) -> Vectors:
    """Return the vectors of texts by key, embedded in the order of length: less padding."""
    if not texts:
        return {}
    keys = sorted(texts, key=lambda key: (len(texts[key]), key))
    try:
        vectors = embedder.embed_passages([texts[key] for key in keys])
    except CRMindError:
        raise
    except Exception as error:
        message = f"{embedder.spec.model}: {error}"
        raise EmbeddingError(message) from error
    return dict(zip(keys, check_vectors(vectors, embedder.spec, count=len(keys)), strict=True))


def _write(work: Work, vectors: Mapping[str, Vector], embedder: Embedder) -> StoreOutcome:
    """Write a document, again where another process was in the way."""
    for _ in range(ATTEMPTS):
        try:
            return work.write(vectors)
        except StaleVectorsError:
            wanted = {passage.content_hash: passage.text for passage in work.passages}
            vectors = _embed(wanted, embedder)
        except OperationalError as error:
            if not _is_deadlock(error):
                raise
        except DatabaseError as error:
            message = f"The database refused it: {str(error).splitlines()[0]}"
            raise InvalidDocumentError(message) from error
    message = "Other processes keep changing this document; try again later."
    raise InvalidDocumentError(message)


def _is_deadlock(error: OperationalError) -> bool:
    return getattr(error.__cause__, "sqlstate", "") in {"40P01", "40001"}
