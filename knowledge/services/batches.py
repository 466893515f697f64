"""Indexes documents in batches: one embedding call for many, one transaction for each."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial

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


@dataclass(frozen=True, slots=True, kw_only=True)
class StartedBatch:
    """Documents whose vectors are being made; `vectors` waits for them."""

    works: Sequence[Work]
    texts: Sequence[Mapping[str, str]]
    spaces: WritingSpaces
    vectors: Callable[[], PassageVectors]


def index_batch(
    batch: Sequence[Work], *, spaces: WritingSpaces
) -> Iterator[StoreOutcome | StoreFailure]:
    """Embed what lacks vectors, then write each document; yield what became of each, in order.

    Nothing of a document is written unless all its vectors of the active space are there.
    """
    return finish_batch(start_batch(batch, spaces=spaces))


def start_batch(
    batch: Sequence[Work], *, spaces: WritingSpaces, beside: Executor | None = None
) -> StartedBatch:
    """Begin to embed what lacks vectors: in another thread if there is one, else when asked for."""
    space_id = spaces.active.space_id
    texts = [_texts_to_embed(work, found) for work, found in _with_stored(batch, space_id)]
    embed = partial(embed_together, texts, spaces)
    vectors = beside.submit(embed).result if beside and any(texts) else embed
    return StartedBatch(works=batch, texts=texts, spaces=spaces, vectors=vectors)


def finish_batch(started: StartedBatch) -> Iterator[StoreOutcome | StoreFailure]:
    """Write each document once its vectors are there; yield what became of each, in order."""
    spaces = started.spaces
    vectors = started.vectors()
    known = vectors.of(spaces.active.space_id).keys()
    for work, wanted in zip(started.works, started.texts, strict=True):
        try:
            has_all = wanted.keys() <= known
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
