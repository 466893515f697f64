"""Takes a stream of documents in, batch by batch; one that fails never stops the others."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from knowledge.embedding.base import Embedder, Tokenizer
from knowledge.exceptions import InvalidDocumentError
from knowledge.ingestion.types import (
    Incoming,
    ParsedDocument,
    UnchangedDocument,
    UnreadableDocument,
)
from knowledge.models import Document, DocumentStatus, Source
from knowledge.services.intake import Intake
from knowledge.services.succession import succeed_by_name
from knowledge.services.trouble import record_failure, record_unreadable
from knowledge.services.types import Outcome, StoreFailure, StoreOutcome

BATCH_DOCUMENTS = 64
# About a hundred passages: enough to embed well together, and seconds between signs of life.
BATCH_CHARACTERS = 100_000

FORGOTTEN = "It was deleted here meanwhile; the next check fetches it again."


def store_documents(
    *,
    source: Source,
    parsed: Iterable[Incoming],
    embedder: Embedder,
    tokenizer: Tokenizer,
    now: datetime,
) -> Iterator[StoreOutcome]:
    """Store documents in batches and yield what became of each, in order.

    One that fails is recorded with its reason, and the next is taken.
    """
    intake = Intake(source=source, embedder=embedder, tokenizer=tokenizer, now=now)
    successors: dict[str, str] = {}
    for batch in _batches(parsed):
        texts = [each for each in batch if isinstance(each, ParsedDocument)]
        successors |= {each.external_id: each.supersedes for each in texts if each.supersedes}
        stored = iter(intake.store_batch(texts) if texts else ())
        for each in batch:
            if isinstance(each, UnreadableDocument):
                yield _unreadable(each, source, now)
            elif isinstance(each, UnchangedDocument):
                yield _unchanged(each, source)
            else:
                yield _recorded(next(stored), source, now)
    for external_id, old in successors.items():
        succeed_by_name(source=source, external_id=external_id, old=old, now=now)


def preview_documents(
    *,
    source: Source,
    parsed: Iterable[Incoming],
    embedder: Embedder,
    tokenizer: Tokenizer,
    now: datetime,
) -> Iterator[StoreOutcome]:
    """Yield what `store_documents` would do; nothing is stored or embedded."""
    intake = Intake(source=source, embedder=embedder, tokenizer=tokenizer, now=now)
    for batch in _batches(parsed):
        texts = [each for each in batch if isinstance(each, ParsedDocument)]
        previewed = iter(intake.preview_batch(texts) if texts else ())
        for each in batch:
            if isinstance(each, UnreadableDocument):
                yield _failed(each.external_id, each.reason)
                continue
            if isinstance(each, UnchangedDocument):
                yield _unchanged(each, source)
                continue
            outcome = next(previewed)
            if isinstance(outcome, StoreFailure):
                yield _failed(outcome.external_id, outcome.error.message)
            else:
                yield outcome


def _batches(parsed: Iterable[Incoming]) -> Iterator[list[Incoming]]:
    """Group documents; two of the same external id never share a batch."""
    batch: dict[str, Incoming] = {}
    characters = 0
    for each in parsed:
        is_full = len(batch) >= BATCH_DOCUMENTS or characters >= BATCH_CHARACTERS
        if batch and (is_full or each.external_id in batch):
            yield list(batch.values())
            batch, characters = {}, 0
        batch[each.external_id] = each
        characters += len(each.text) if isinstance(each, ParsedDocument) else 0
    if batch:
        yield list(batch.values())


def _recorded(outcome: StoreOutcome | StoreFailure, source: Source, now: datetime) -> StoreOutcome:
    if isinstance(outcome, StoreOutcome):
        return outcome
    reason = outcome.error.message
    try:
        document = record_failure(
            source=source,
            external_id=outcome.external_id,
            title=outcome.title,
            reason=reason,
            now=now,
        )
    except InvalidDocumentError:
        return _failed(outcome.external_id, reason)
    return _trouble(document)


def _unreadable(unreadable: UnreadableDocument, source: Source, now: datetime) -> StoreOutcome:
    try:
        document = record_unreadable(source=source, unreadable=unreadable, now=now)
    except InvalidDocumentError as error:
        return _failed(unreadable.external_id, error.message)
    return _trouble(document)


def _unchanged(unchanged: UnchangedDocument, source: Source) -> StoreOutcome:
    document: Document | None = Document.objects.filter(
        source=source.pk, external_id=unchanged.external_id
    ).first()
    if document is None:
        return _failed(unchanged.external_id, FORGOTTEN)
    return StoreOutcome(
        external_id=document.external_id,
        document_id=document.pk,
        outcome=Outcome.UNCHANGED,
        status=document.status,
        reason=document.status_reason,
        chunk_count=document.chunk_count,
    )


def _trouble(document: Document) -> StoreOutcome:
    return StoreOutcome(
        external_id=document.external_id,
        document_id=document.pk,
        outcome=Outcome.FAILED,
        status=document.status,
        reason=document.status_reason,
        chunk_count=document.chunk_count,
        warnings=tuple(document.warnings),
    )


def _failed(external_id: str, reason: str) -> StoreOutcome:
    """Return the outcome of a document of which nothing was recorded."""
    return StoreOutcome(
        external_id=external_id,
        document_id=None,
        outcome=Outcome.FAILED,
        status=DocumentStatus.FAILED,
        reason=reason,
    )
