"""Makes the passages of stored documents anew, from the text that was kept of them."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial

from django.db import transaction

from crmind.exceptions import CRMindError
from knowledge.embedding.base import Embedder, Tokenizer
from knowledge.exceptions import EmbeddingError, UnknownDocumentError, WorkerDiedError
from knowledge.ingestion.pipeline import Passage, split_document
from knowledge.models import Document, DocumentBody, DocumentStatus
from knowledge.services.attendance import Attendance
from knowledge.services.backoff import MOST_DOCUMENT_ATTEMPTS
from knowledge.services.batches import Work, check_answers, index_batch
from knowledge.services.claims import RunContext, claim_documents, release_documents, tries_of
from knowledge.services.intake import chunking_settings
from knowledge.services.likeness import keep_sketch
from knowledge.services.locking import lock_document
from knowledge.services.passages import swap_passages
from knowledge.services.storing import NO_TEXT
from knowledge.services.terms import note_chunk_changes
from knowledge.services.trouble import record_death
from knowledge.services.types import Outcome, StoreFailure, StoreOutcome
from knowledge.services.vectors import PassageVectors, writing_spaces

BATCH_DOCUMENTS = 32


def reindex_document(
    *, document: Document, embedder: Embedder, tokenizer: Tokenizer, now: datetime
) -> StoreOutcome:
    """Make the passages of one document anew; those that stay the same keep id and vector.

    Raises UnknownDocumentError, EmbeddingError or InvalidVectorError; the old ones then stay.
    """
    for outcome in _reindex([document.pk], embedder=embedder, tokenizer=tokenizer, now=now):
        if isinstance(outcome, StoreFailure):
            raise outcome.error
        return outcome
    raise UnknownDocumentError


def reindex_in_batches(
    document_ids: Sequence[int],
    *,
    embedder: Embedder,
    tokenizer: Tokenizer,
    now: datetime,
    run: RunContext | None = None,
) -> Iterator[StoreOutcome]:
    """Reindex documents and yield what became of each; one that has gone meanwhile is left out.

    One that fails keeps its passages and its state, and the next is taken. Those a worker died of
    come last, one by one. Raises EmbeddingError within a run of the queue, which is tried again,
    when the model answers nothing at all.
    """
    for batch in _batches(document_ids):
        with Attendance() as attendance:
            claimed = claim_documents(batch, attendance=attendance, run=run)
            for outcome in _reindex(batch, embedder=embedder, tokenizer=tokenizer, now=now):
                if isinstance(outcome, StoreOutcome):
                    yield outcome
                elif not isinstance(outcome.error, UnknownDocumentError):
                    if run and run.is_queued and isinstance(outcome.error, EmbeddingError):
                        check_answers(embedder)
                    yield _failed(outcome.external_id, outcome.error.message)
            release_documents(claimed)
    for name in _give_up_deadly(document_ids):
        yield _failed(name, WorkerDiedError().message)


def _give_up_deadly(document_ids: Sequence[int]) -> Iterator[str]:
    tries = tries_of(document_ids)
    deadly = [key for key, count in tries.items() if count >= MOST_DOCUMENT_ATTEMPTS]
    for document in Document.objects.filter(pk__in=deadly).order_by("pk"):
        record_death(document=document, reason=WorkerDiedError().message)
        yield document.external_id


def _batches(document_ids: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield ids in groups; those a worker died of alone at the end, the likeliest last."""
    tries = tries_of(document_ids)
    healthy = [document_id for document_id in document_ids if not tries.get(document_id)]
    for start in range(0, len(healthy), BATCH_DOCUMENTS):
        yield healthy[start : start + BATCH_DOCUMENTS]
    for document_id in sorted(tries, key=lambda key: (tries[key], key)):
        if tries[document_id] < MOST_DOCUMENT_ATTEMPTS:
            yield [document_id]


def _failed(external_id: str, reason: str) -> StoreOutcome:
    return StoreOutcome(
        external_id=external_id,
        document_id=None,
        outcome=Outcome.FAILED,
        status=DocumentStatus.FAILED,
        reason=f"Reindexing failed: {reason}",
    )


def _reindex(
    document_ids: Sequence[int], *, embedder: Embedder, tokenizer: Tokenizer, now: datetime
) -> Iterator[StoreOutcome | StoreFailure]:
    spaces = writing_spaces(embedder)
    settings = chunking_settings(spaces.active.embedder.spec)
    documents = Document.objects.filter(pk__in=document_ids).select_related("body").order_by("pk")
    works = []
    for document in documents:
        try:
            passages = split_document(
                text=_text(document), title=document.title, tokenizer=tokenizer, settings=settings
            )
        except CRMindError as error:
            yield StoreFailure(external_id=document.external_id, title=document.title, error=error)
            continue
        works.append(
            Work(
                external_id=document.external_id,
                title=document.title,
                document_id=document.pk,
                passages=passages,
                write=partial(_rewrite, document, passages, now),
            )
        )
    yield from index_batch(works, spaces=spaces)


@transaction.atomic
def _rewrite(
    snapshot: Document,
    passages: tuple[Passage, ...],
    now: datetime,
    vectors: PassageVectors,
) -> StoreOutcome:
    document = lock_document(snapshot)
    if _identity(document) != _identity(snapshot):
        # A new version was stored meanwhile, with the settings in force now.
        return _outcome(document, Outcome.UNCHANGED, embedded_count=0)
    result = swap_passages(document, passages, vectors=vectors)
    keep_sketch(document, _text(snapshot))
    document.chunk_count = len(passages)
    document.indexed_at = now
    document.attempts = 0
    document.claimed_hash = ""
    document.lease_until = None
    if document.status in {DocumentStatus.PENDING, DocumentStatus.INDEXING} or (
        document.status == DocumentStatus.FAILED and not snapshot.chunk_count
    ):
        _settle(document)
    document.save()
    note_chunk_changes(language=document.language, count=len(result.added))
    is_changed = bool(result.added or result.removed or result.embedded_count)
    outcome = Outcome.UPDATED if is_changed else Outcome.UNCHANGED
    return _outcome(document, outcome, embedded_count=result.embedded_count)


def _settle(document: Document) -> None:
    if document.chunk_count:
        document.status = DocumentStatus.READY
        document.status_reason = ""
    elif not document.status_reason:
        document.status = DocumentStatus.NEEDS_ATTENTION
        document.status_reason = NO_TEXT


def _identity(document: Document) -> tuple[str, datetime | None, str]:
    return document.content_hash, document.indexed_at, document.title


def _text(document: Document) -> str:
    try:
        body: DocumentBody = document.body
    except DocumentBody.DoesNotExist:
        return ""
    return body.text


def _outcome(document: Document, outcome: Outcome, *, embedded_count: int) -> StoreOutcome:
    return StoreOutcome(
        external_id=document.external_id,
        document_id=document.pk,
        outcome=outcome,
        status=document.status,
        reason=document.status_reason,
        chunk_count=document.chunk_count,
        embedded_count=embedded_count,
    )
