"""Indexes documents in batches: one embedding call for many, one transaction for each."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from django.db import DatabaseError, OperationalError

from crmind.exceptions import CRMindError
from knowledge.embedding.base import Embedder
from knowledge.exceptions import InvalidDocumentError
from knowledge.ingestion import store
from knowledge.ingestion.pipeline import Passage
from knowledge.services.passages import StaleVectorsError, plan_swap
from knowledge.services.types import StoreFailure, StoreOutcome
from knowledge.services.vectors import (
    PassageVectors,
    WritingSpaces,
    embed_for,
    embed_together,
    writing_spaces,
)

ATTEMPTS = 5
PROBE = "Are you there?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A document whose passages are ready; `write` stores them, given their vectors."""

    external_id: str
    title: str
    document_id: int | None
    passages: tuple[Passage, ...]
    write: Callable[[PassageVectors], StoreOutcome]


def index_batch(
    batch: Sequence[Work], *, spaces: WritingSpaces
) -> Iterator[StoreOutcome | StoreFailure]:
    """Embed what lacks vectors, then write each document; yield what became of each, in order.

    Nothing of a document is written unless all its vectors of the active space are there.
    """
    space_id = spaces.active.space_id
    texts = [_texts_to_embed(work, found) for work, found in _with_stored(batch, space_id)]
    vectors = embed_together(texts, spaces)
    for work, wanted in zip(batch, texts, strict=True):
        try:
            has_all = wanted.keys() <= vectors.of(space_id).keys()
            yield _write(work, vectors if has_all else embed_for(wanted, spaces), spaces)
        except CRMindError as error:
            yield StoreFailure(external_id=work.external_id, title=work.title, error=error)


def check_answers(embedder: Embedder) -> None:
    """Raise EmbeddingError if the model embeds nothing at all: then no document is at fault."""
    writing_spaces(embedder).active.embedder.embed_passages([PROBE])


def _with_stored(
    batch: Sequence[Work], space_id: int
) -> Iterator[tuple[Work, Sequence[store.StoredPassage]]]:
    ids = [work.document_id for work in batch if work.document_id is not None]
    stored = store.read_passages(ids, space_id=space_id)
    for work in batch:
        yield work, stored.get(work.document_id or 0, ())


def _texts_to_embed(work: Work, stored: Sequence[store.StoredPassage]) -> dict[str, str]:
    return plan_swap(stored, work.passages).to_embed


def _write(work: Work, vectors: PassageVectors, spaces: WritingSpaces) -> StoreOutcome:
    """Write a document, again where another process was in the way."""
    for _ in range(ATTEMPTS):
        try:
            return work.write(vectors)
        except StaleVectorsError:
            wanted = {passage.content_hash: passage.text for passage in work.passages}
            vectors = embed_for(wanted, writing_spaces(spaces.embedder))
        except OperationalError as error:
            if not is_deadlock(error):
                raise
        except DatabaseError as error:
            message = f"The database refused it: {str(error).splitlines()[0]}"
            raise InvalidDocumentError(message) from error
    message = "Other processes keep changing this document; try again later."
    raise InvalidDocumentError(message)


def is_deadlock(error: OperationalError) -> bool:
    """Tell whether a transaction was given up for the sake of another one."""
    return getattr(error.__cause__, "sqlstate", "") in {"40P01", "40001"}
