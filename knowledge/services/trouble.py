"""Records documents that could not be indexed, so that curators see each with its reason."""

from datetime import datetime

from django.db import transaction

from knowledge.ingestion import store
from knowledge.ingestion.clean import clean_text
from knowledge.ingestion.pipeline import MAX_MIME_TYPE_LENGTH, MAX_TITLE_LENGTH, check_external_id
from knowledge.ingestion.types import UnreadableDocument
from knowledge.models import Chunk, Document, DocumentBody, DocumentStatus, Source
from knowledge.services.backoff import MOST_DOCUMENT_ATTEMPTS
from knowledge.services.changes import announce_chunks
from knowledge.services.locking import lock_document, lock_identities
from knowledge.services.types import StoreFailure
from knowledge.signals import ChangeReason


@transaction.atomic
def record_failure(
    *,
    source: Source,
    failure: StoreFailure,
    now: datetime,
    run_id: int | None = None,
) -> Document:
    """Note that the present version of a document could not be indexed; an old one keeps answering.

    Raises InvalidDocumentError for an external id that cannot be stored.
    """
    document = _lock_or_start(source, failure.external_id, title=failure.title, now=now)
    document.status = DocumentStatus.FAILED
    document.status_reason = with_old_version(failure.error.message, document)
    document.content_hash = ""
    _end_claim(document, run_id)
    document.save()
    return document


@transaction.atomic
def record_unreadable(
    *,
    source: Source,
    unreadable: UnreadableDocument,
    now: datetime,
    run_id: int | None = None,
) -> Document:
    """Note that a document gives no text.

    One that was refused keeps its old version answering; one that is readable but empty has no
    text any more, and so no chunks.
    """
    document = _lock_or_start(source, unreadable.external_id, title=unreadable.title, now=now)
    if document.chunk_count and not unreadable.is_refused:
        _empty(document)
    document.mime_type = unreadable.mime_type[:MAX_MIME_TYPE_LENGTH]
    document.warnings = [clean_text(warning).text for warning in unreadable.warnings]
    document.content_hash = ""
    if document.status != DocumentStatus.RETIRED:
        document.status = DocumentStatus.NEEDS_ATTENTION
        document.status_reason = with_old_version(unreadable.reason, document)
    _end_claim(document, run_id)
    document.save()
    return document


@transaction.atomic
def record_death(*, document: Document, reason: str) -> Document:
    """Note that the process that worked on a document died; an old version keeps answering.

    Raises UnknownDocumentError if it was deleted meanwhile.
    """
    current = lock_document(document)
    if current.status != DocumentStatus.RETIRED:
        current.status = DocumentStatus.FAILED
        current.status_reason = with_old_version(reason, current)
    current.lease_until = None
    current.save()
    return current


def _end_claim(document: Document, run_id: int | None) -> None:
    """End the work on a document that failed in good order; one that kills is remembered."""
    if document.attempts < MOST_DOCUMENT_ATTEMPTS:
        document.attempts = 0
        document.claimed_hash = ""
    document.lease_until = None
    document.last_run_id = run_id


def with_old_version(reason: str, document: Document) -> str:
    """Return the reason as a sentence that also tells whether an earlier version is still found."""
    sentence = clean_text(reason).text.strip().rstrip(".") or "It could not be indexed"
    if document.chunk_count:
        return f"Update failed: {sentence}; the old version is still shown."
    return f"{sentence}."


def _lock_or_start(source: Source, external_id: str, *, title: str, now: datetime) -> Document:
    check_external_id(external_id)
    current = lock_identities(source.pk, [external_id])
    found: Document | None = (
        Document.objects.select_for_update().filter(source=current, external_id=external_id).first()
    )
    if found is not None:
        return found
    return Document(
        source=current,
        external_id=external_id,
        title=clean_text(title).text[:MAX_TITLE_LENGTH],
        fetched_at=now,
        language=current.language,
        access_tags=current.access_tags,
    )


def _empty(document: Document) -> None:
    chunk_ids = tuple(Chunk.objects.filter(document=document).values_list("pk", flat=True))
    announce_chunks(
        ChangeReason.REMOVED,
        chunk_ids,
        document_id=document.pk,
        source_id=document.source_id,
    )
    store.delete_chunks(chunk_ids)
    DocumentBody.objects.filter(document=document).delete()
    document.chunk_count = 0
