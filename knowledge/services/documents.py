"""Writes of documents: store, retire, restore, delete, and what curators decide about one."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from django.db import transaction

from knowledge.embedding.base import Embedder, Tokenizer
from knowledge.exceptions import (
    EmbeddingError,
    InvalidDocumentError,
    InvalidVectorError,
    UnknownDocumentError,
    WorkerDiedError,
)
from knowledge.ingestion import store
from knowledge.ingestion.types import ParsedDocument
from knowledge.models import Chunk, Document, DocumentStatus, Source
from knowledge.services.attendance import Attendance
from knowledge.services.changes import announce_chunks
from knowledge.services.claims import release_version
from knowledge.services.intake import Intake
from knowledge.services.locking import lock_all, lock_document
from knowledge.services.succession import leads_back, link_successor, succeed_by_name
from knowledge.services.terms import note_chunk_changes
from knowledge.services.trouble import record_failure
from knowledge.services.types import StoreFailure, StoreOutcome
from knowledge.services.validation import checked_access_tags
from knowledge.signals import ChangeReason

NOTHING_TO_SEARCH = "There is nothing to search; store it again."


def store_document(
    *,
    source: Source,
    parsed: ParsedDocument,
    embedder: Embedder,
    tokenizer: Tokenizer,
    now: datetime,
    parent: Document | None = None,
) -> StoreOutcome:
    """Add a document, or replace the one its source has of this external id.

    Raises InvalidDocumentError, EmbeddingError or InvalidVectorError; then what was indexed before
    keeps answering.
    """
    with Attendance() as attendance:
        intake = Intake(
            source=source, embedder=embedder, tokenizer=tokenizer, now=now, attendance=attendance
        )
        outcome = intake.store_one(parsed, parent_id=parent.pk if parent else None)
    if not isinstance(outcome, StoreFailure):
        return _with_succession(outcome, source=source, old=parsed.supersedes, now=now)
    if isinstance(outcome.error, EmbeddingError | InvalidVectorError | WorkerDiedError):
        record_failure(source=source, failure=outcome, now=now)
    else:
        release_version(source_id=source.pk, external_id=outcome.external_id)
    raise outcome.error


def _with_succession(
    outcome: StoreOutcome, *, source: Source, old: str, now: datetime
) -> StoreOutcome:
    """Add the warning that there is no such document to replace, if there is none."""
    warning = succeed_by_name(source=source, external_id=outcome.external_id, old=old, now=now)
    known = (*outcome.warnings, warning) if warning else outcome.warnings
    return replace(outcome, warnings=tuple(dict.fromkeys(known)))


@transaction.atomic
def retire_document(*, document: Document, reason: str = "") -> Document:
    """Take a document out of search without deleting it."""
    current = lock_document(document)
    if current.status != DocumentStatus.RETIRED:
        current.status = DocumentStatus.RETIRED
        current.status_reason = reason
        current.save(update_fields=["status", "status_reason", "updated_at"])
        _refresh(current, ChangeReason.RETIRED)
    return current


@transaction.atomic
def restore_document(*, document: Document) -> Document:
    """Bring a retired document back into search."""
    current = lock_document(document)
    if current.status == DocumentStatus.RETIRED:
        is_searchable = current.chunk_count > 0
        current.status = DocumentStatus.READY if is_searchable else DocumentStatus.NEEDS_ATTENTION
        current.status_reason = "" if is_searchable else NOTHING_TO_SEARCH
        current.save(update_fields=["status", "status_reason", "updated_at"])
        _refresh(current, ChangeReason.RESTORED)
    return current


@transaction.atomic
def delete_document(*, document: Document) -> None:
    """Delete a document and its attachments, with their chunks and vectors."""
    family = _family(lock_document(document))
    for member in family:
        chunk_ids = _chunk_ids(member)
        _announce(ChangeReason.REMOVED, chunk_ids, member)
        store.delete_chunks(chunk_ids)
    Document.objects.filter(pk__in=[member.pk for member in family]).delete()
    for member in family:
        note_chunk_changes(language=member.language, count=member.chunk_count)


@transaction.atomic
def set_document_trust(*, document: Document, trust: float | None) -> Document:
    """Set how far a document is believed; None leaves that to its source."""
    if trust is not None and not 0.0 <= trust <= 1.0:
        message = f"trust: {trust} is not a number from 0 to 1."
        raise InvalidDocumentError(message, field="trust")
    current = lock_document(document)
    if current.trust != trust:
        current.trust = trust
        current.save(update_fields=["trust", "updated_at"])
        _announce(ChangeReason.TRUST, _chunk_ids(current), current)
    return current


@transaction.atomic
def set_access_tags(
    *, document: Document, access_tags: Iterable[str], is_own: bool = True
) -> Document:
    """Set who may read a document, whatever its source says. Raises InvalidDocumentError.

    Without `is_own` it takes the tags of its source again, now and when those change.
    """
    tags = checked_access_tags(access_tags)
    current = lock_document(document)
    if not is_own:
        tags = sorted(current.source.access_tags)
    has_changed = sorted(current.access_tags) != tags
    current.access_tags = tags
    current.has_own_access_tags = is_own
    current.save(update_fields=["access_tags", "has_own_access_tags", "updated_at"])
    if has_changed:
        _refresh(current, ChangeReason.ACCESS)
    return current


@transaction.atomic
def supersede_document(*, old: Document, new: Document, now: datetime) -> Document:
    """Record that `new` replaces `old`, which is valid until then. Raises InvalidDocumentError."""
    if old.pk == new.pk:
        message = "supersedes: a document cannot replace itself."
        raise InvalidDocumentError(message, field="supersedes")
    locked_old, locked_new = lock_all([old, new])
    if leads_back(old=locked_old, new=locked_new):
        message = (
            f"“{locked_old}” already replaces “{locked_new}”, by itself or by way of others: each"
            " would replace the other."
        )
        raise InvalidDocumentError(message, field="supersedes")
    link_successor(old=locked_old, new=locked_new, now=now)
    return locked_new


@transaction.atomic
def switch_chunk(*, chunk: Chunk, off: bool) -> Chunk:
    """Take one passage out of search, or bring it back."""
    document = lock_document(chunk.document)
    current: Chunk | None = Chunk.objects.select_for_update().filter(pk=chunk.pk).first()
    if current is None:
        message = "The passage was replaced meanwhile. Open the document again."
        raise UnknownDocumentError(message)
    if current.is_switched_off != off:
        current.is_switched_off = off
        current.save(update_fields=["is_switched_off"])
        store.refresh_filters(document_ids=[document.pk])
        reason = ChangeReason.SWITCHED_OFF if off else ChangeReason.RESTORED
        _announce(reason, (current.pk,), document)
        current.refresh_from_db(fields=["is_active"])
    return current


def _family(document: Document) -> list[Document]:
    family = [document]
    for member in family:
        family.extend(Document.objects.select_for_update().filter(parent=member).order_by("pk"))
    return family


def _chunk_ids(document: Document) -> tuple[int, ...]:
    return tuple(Chunk.objects.filter(document=document).values_list("pk", flat=True))


def _refresh(document: Document, reason: ChangeReason) -> None:
    store.refresh_filters(document_ids=[document.pk])
    _announce(reason, _chunk_ids(document), document)


def _announce(reason: ChangeReason, chunk_ids: tuple[int, ...], document: Document) -> None:
    announce_chunks(reason, chunk_ids, document_id=document.pk, source_id=document.source_id)
