"""Documents that replace others."""

from datetime import datetime

from django.db import transaction

from knowledge.history import decode, encode
from knowledge.ingestion import store
from knowledge.ingestion.pipeline import clean_line, is_storable
from knowledge.models import Chunk, Document, Source
from knowledge.services.changes import announce_chunks
from knowledge.services.locking import lock_identities
from knowledge.signals import ChangeReason

LONGEST_SUCCESSION = 1_000
LATEST_CHANGES = 50


def succeed(document: Document, *, external_id: str, now: datetime) -> bool:
    """Make a locked document the successor of another of its source; False if there is none."""
    old = (
        Document.objects.select_for_update()
        .filter(source=document.source_id, external_id=external_id)
        .exclude(pk=document.pk)
        .first()
    )
    if old is None:
        return False
    link_successor(old=old, new=document, now=now)
    return True


@transaction.atomic
def succeed_by_name(*, source: Source, external_id: str, old: str, now: datetime) -> str:
    """Link a stored document to the one it replaces, which may have come after it.

    Returns a warning, which the document keeps, if there is none.
    """
    old = clean_line(old)
    if not old or not is_storable(external_id):
        return ""
    pending = Document.objects.filter(source=source, external_id=external_id, supersedes=None)
    if not pending.exists():
        return ""
    lock_identities(source.pk, [external_id, old])
    document = pending.select_for_update().first()
    if document is None or succeed(document, external_id=old, now=now):
        return ""
    warning = f"supersedes: there is no document {old!r} in this source."
    if warning not in document.warnings:
        document.warnings = [*document.warnings, warning]
        document.save(update_fields=["warnings", "updated_at"])
    return warning


def link_successor(*, old: Document, new: Document, now: datetime) -> None:
    """Record that `new`, locked like `old`, replaces it from its own date on.

    Nothing happens where that would close a circle.
    """
    if new.supersedes_id == old.pk or leads_back(old=old, new=new):
        return
    new.supersedes = old
    new.save(update_fields=["supersedes", "updated_at"])
    ends: datetime = new.valid_from or new.published_at or now
    if old.valid_from is None or old.valid_from < ends:
        old.valid_until = min(old.valid_until or ends, ends)
        old.save(update_fields=["valid_until", "updated_at"])
        store.refresh_filters(document_ids=[old.pk])
    chunk_ids = Chunk.objects.filter(document=old).values_list("pk", flat=True)
    announce_chunks(ChangeReason.SUPERSEDED, chunk_ids, document_id=old.pk, source_id=old.source_id)


def leads_back(*, old: Document, new: Document) -> bool:
    """Return whether `old` replaces `new` itself, directly or by way of others."""
    seen = {old.pk}
    behind = old.supersedes_id
    while behind is not None and behind not in seen and len(seen) < LONGEST_SUCCESSION:
        if behind == new.pk:
            return True
        seen.add(behind)
        behind = Document.objects.filter(pk=behind).values_list("supersedes", flat=True).first()
    return False


def unlink_successor(*, old: Document, new: Document) -> None:
    """Record that `new`, locked like `old`, does not replace it; an end it set is taken back."""
    new.supersedes = None
    new.save(update_fields=["supersedes", "updated_at"])
    give_back_end(old=old, new=new)
    chunk_ids = Chunk.objects.filter(document=new).values_list("pk", flat=True)
    announce_chunks(ChangeReason.UPDATED, chunk_ids, document_id=new.pk, source_id=new.source_id)


def give_back_end(*, old: Document, new: Document) -> None:
    """Take back the end of validity that `new`, locked like `old`, set by replacing it."""
    ends = (new.valid_from, new.published_at)
    is_alone = not Document.objects.filter(supersedes=old).exclude(pk=new.pk).exists()
    if is_alone and not old.has_own_validity and (old.valid_until in ends or not any(ends)):
        old.valid_until = _end_before(old)
        old.save(update_fields=["valid_until", "updated_at"])
        store.refresh_filters(document_ids=[old.pk])
        ended = Chunk.objects.filter(document=old).values_list("pk", flat=True)
        announce_chunks(ChangeReason.DESCRIBED, ended, document_id=old.pk, source_id=old.source_id)


def _end_before(old: Document) -> datetime | None:
    """Return the end of validity that the present one took the place of, if the history tells."""
    field = Document._meta.get_field("valid_until")  # noqa: SLF001 # Django's public interface to fields
    present = encode(old.valid_until)
    for record in Document.history.filter(id=old.pk).order_by("-history_id")[:LATEST_CHANGES]:
        for change in record.history_changes:
            if change["field"] == field.name:
                before: datetime | None = decode(field, change["old"])
                return before if change["new"] == present else None
    return None


def keep_validity(document: Document, given: datetime | None) -> datetime | None:
    """Return until when a new version is valid: a document that was succeeded stays ended."""
    if document.has_own_validity:
        return document.valid_until
    if given is not None or document.valid_until is None:
        return given
    return document.valid_until if document.superseded_by.exists() else None
