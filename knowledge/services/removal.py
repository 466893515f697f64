"""Takes out what a source no longer holds: never when in doubt, never much without a yes."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from knowledge.conf import knowledge_settings
from knowledge.exceptions import ListingError, NothingToConfirmError, UnknownDocumentError
from knowledge.models import Document, DocumentStatus, IngestionLogEntry, IngestionRun, RunStatus
from knowledge.services.documents import restore_document, retire_document

GONE = "It is gone from its source."
NAMED_DOCUMENTS = 1_000
BATCH = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovalLimits:
    """Beyond either, a removal waits for a yes."""

    max_share: float
    max_documents: int

    def exceeded_by(self, missing: int, *, of: int) -> bool:
        """Tell whether that many missing documents are too many to take out unasked."""
        return missing > self.max_documents or missing > self.max_share * of


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """What became of the documents that were not found again."""

    removed: int = 0
    held: int = 0


def removal_limits() -> RemovalLimits:
    """Return the limits in force."""
    settings = knowledge_settings()
    return RemovalLimits(
        max_share=settings.removal_max_share, max_documents=settings.removal_max_documents
    )


def count_listed(source_id: int) -> int:
    """Return how many documents the source is known to hold."""
    return _listed(source_id).count()


def count_missing(source_id: int | None, found: Collection[str]) -> int:
    """Return how many documents of the source are not among those found."""
    known = _listed(source_id).values_list("external_id", flat=True)
    return sum(external_id not in found for external_id in known)


def note_found(*, source_id: int, external_ids: Iterable[str]) -> None:
    """Note that a check of the source found these; those that were taken out come back."""
    found = Document.objects.filter(source=source_id, external_id__in=list(external_ids))
    for document in found.filter(status=DocumentStatus.RETIRED, status_reason=GONE):
        restore_document(document=document)
    found.exclude(is_listed=True, missing_since=None).update(is_listed=True, missing_since=None)


def settle_missing(
    *,
    run: IngestionRun,
    found: Collection[str],
    known_before: int,
    is_confirmed: bool,
    now: datetime,
) -> Removal:
    """Take out the documents of the run's source that it did not find, or hold them for a yes.

    Raises ListingError when nothing at all was found.
    """
    if known_before and not found:
        message = "The source lists nothing any more, so nothing was taken out."
        raise ListingError(message)
    missing = [
        document_id
        for document_id, external_id in _listed(run.source_id).values_list("pk", "external_id")
        if external_id not in found
    ]
    for start in range(0, len(missing), BATCH):
        batch = Document.objects.filter(pk__in=missing[start : start + BATCH], missing_since=None)
        batch.update(missing_since=now)
    if not is_confirmed and removal_limits().exceeded_by(len(missing), of=known_before):
        return Removal(held=len(missing))
    return Removal(removed=_take_out(run, missing))


def hold_for_confirmation(*, run: IngestionRun, removal: Removal) -> None:
    """End a run with the question whether what is missing is to be taken out."""
    limits = removal_limits()
    reason = (
        f"{removal.held} documents are gone from the source. That is more than"
        f" {limits.max_documents} or {limits.max_share:.0%} of it, so they are still searched:"
        " confirm that they are to be taken out, or check the source."
    )
    IngestionRun.objects.filter(pk=run.pk).update(
        status=RunStatus.UNCONFIRMED, status_reason=reason, to_remove=removal.held
    )


def withdraw_questions(source_id: int | None) -> None:
    """Let earlier runs of a source no longer wait for a yes: a later one knows better."""
    waiting = IngestionRun.objects.filter(source=source_id, status=RunStatus.UNCONFIRMED)
    waiting.update(
        status=RunStatus.DONE, status_reason="A later run has looked again.", to_remove=0
    )


def confirm_removal(*, run: IngestionRun) -> int:
    """Take out what the run found missing and is still missing; return how many documents.

    Raises NothingToConfirmError for a run that does not ask.
    """
    with transaction.atomic():
        current = IngestionRun.objects.select_for_update().get(pk=run.pk)
        if current.status != RunStatus.UNCONFIRMED:
            message = "This run waits for no confirmation: it was confirmed, or a later run began."
            raise NothingToConfirmError(message)
        current.status = RunStatus.DONE
        current.status_reason = ""
        current.to_remove = 0
        current.finished_at = timezone.now()
        current.save()
    missing = _listed(run.source_id).filter(missing_since__isnull=False)
    return _take_out(run, list(missing.values_list("pk", flat=True)))


def missing_documents(run: IngestionRun) -> QuerySet[Document]:
    """Return what a run that waits for a yes would take out."""
    found: QuerySet[Document] = _listed(run.source_id).filter(missing_since__isnull=False)
    return found.order_by("external_id", "pk")


def _listed(source_id: int | None) -> QuerySet[Document]:
    """Return what a check must find again; of a message that could not be read, no attachments."""
    found: QuerySet[Document] = Document.objects.filter(
        Q(parent=None) | Q(parent__status=DocumentStatus.READY),
        source=source_id,
        is_listed=True,
    ).exclude(status=DocumentStatus.RETIRED)
    return found


def _take_out(run: IngestionRun, document_ids: Sequence[int]) -> int:
    removed = 0
    for start in range(0, len(document_ids), BATCH):
        documents = Document.objects.in_bulk(document_ids[start : start + BATCH])
        gone = [each for _, each in sorted(documents.items()) if _retire_family(each)]
        IngestionLogEntry.objects.bulk_create(
            IngestionLogEntry(
                run_id=run.pk,
                level=IngestionLogEntry.Level.NOTE,
                external_id=document.external_id,
                message="Taken out of search: it is gone from its source.",
            )
            for document in gone[: max(0, NAMED_DOCUMENTS - removed)]
        )
        removed += len(gone)
        row = IngestionRun.objects.filter(pk=run.pk)
        row.update(removed=F("removed") + len(gone), heartbeat_at=timezone.now())
    return removed


def _retire_family(document: Document) -> bool:
    """Retire a document with what was attached to it; False if it was deleted meanwhile."""
    try:
        retire_document(document=document, reason=GONE)
        for attachment in Document.objects.filter(parent=document):
            retire_document(document=attachment, reason=GONE)
    except UnknownDocumentError:
        return False
    return True
