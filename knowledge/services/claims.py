"""Who works on which document: a lease while it lasts, a count of the tries that had no end."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Case, F, QuerySet, Value, When
from django.utils import timezone

from knowledge.conf import knowledge_settings
from knowledge.ingestion.pipeline import is_storable
from knowledge.ingestion.types import ParsedDocument
from knowledge.models import Document, DocumentStatus, IngestionRun
from knowledge.services.attendance import Attendance, name_of
from knowledge.services.locking import share_source

# Nobody renews the lease of a single document that a program pushes.
UNATTENDED_SECONDS = 900.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContext:
    """The run in whose name documents are worked on; `is_resumed` after it was set back."""

    run_id: int
    began_at: datetime
    is_resumed: bool = False
    is_queued: bool = False

    @classmethod
    def of(cls, run: IngestionRun) -> "RunContext":
        """Return the context of a run that was started."""
        return cls(
            run_id=run.pk,
            began_at=run.started_at or run.created_at,
            is_resumed=run.setbacks > 0,
            is_queued=run.queued_at is not None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A version of a document that is about to be worked on."""

    parsed: ParsedDocument
    content_hash: str
    language: str
    document_id: int | None


@transaction.atomic
def claim_versions(
    claims: Sequence[Claim],
    *,
    source_id: int,
    attended: Container[str],
    run: RunContext | None,
    now: datetime,
) -> None:
    """Take a lease on documents of a source; those that are new get their row.

    Known ones that others attend to are left to them: a try that somebody is still at is no death.
    A claim keeps nobody from writing: it tells, should the process die, what it was about.
    """
    source = share_source(source_id)
    until = _lease_end(run)
    run_id = run.run_id if run else None
    known = {
        claim.document_id: claim.content_hash
        for claim in claims
        if claim.document_id and name_of(source_id, claim.parsed.external_id) in attended
    }
    _extend(known, until=until, run_id=run_id)
    Document.objects.bulk_create(
        [
            Document(
                source=source,
                external_id=claim.parsed.external_id,
                title=claim.parsed.title,
                fetched_at=now,
                language=claim.language,
                access_tags=sorted(set(claim.parsed.access_tags)) or source.access_tags,
                status=DocumentStatus.INDEXING,
                attempts=1,
                claimed_hash=claim.content_hash,
                lease_until=until,
                last_run_id=run_id,
            )
            for claim in claims
            if claim.document_id is None
        ],
        ignore_conflicts=True,
    )


@transaction.atomic
def claim_documents(
    document_ids: Sequence[int], *, attendance: Attendance, run: RunContext | None
) -> tuple[int, ...]:
    """Take a lease on stored documents, to make their passages anew; return which were taken.

    Those that others attend to are left to them, as by `claim_versions`.
    """
    rows = Document.objects.filter(pk__in=document_ids)
    known = {
        name_of(source_id, external_id): (key, content_hash)
        for key, content_hash, source_id, external_id in rows.values_list(
            "pk", "content_hash", "source_id", "external_id"
        )
    }
    hashes = dict(known[name] for name in attendance.attend(known))
    _extend(hashes, until=_lease_end(run), run_id=run.run_id if run else None)
    return tuple(hashes)


@transaction.atomic
def release_documents(document_ids: Sequence[int]) -> None:
    """End the leases on stored documents that work is done on, well or in good order."""
    _unlocked(Document.objects.filter(pk__in=document_ids, lease_until__isnull=False)).update(
        lease_until=None, attempts=0, claimed_hash=""
    )


def tries_of(document_ids: Sequence[int]) -> dict[int, int]:
    """Return how often work on the stored version of each began without an end, where it did."""
    rows = Document.objects.filter(
        pk__in=document_ids, attempts__gt=0, claimed_hash=F("content_hash")
    )
    return dict(rows.values_list("pk", "attempts"))


def forget_tries(documents: QuerySet[Document]) -> None:
    """Let documents that a worker died of be tried again: a curator asks for it."""
    documents.filter(attempts__gt=0, lease_until__isnull=True).update(attempts=0, claimed_hash="")


@transaction.atomic
def renew_leases(run_id: int) -> None:
    """Keep the leases of a run from running out."""
    _unlocked(Document.objects.filter(last_run=run_id, lease_until__isnull=False)).update(
        lease_until=timezone.now() + timedelta(seconds=knowledge_settings().lease_seconds)
    )


@transaction.atomic
def release_claims(run_id: int) -> None:
    """Give up the leases of a run that stopped on purpose, as if they had not been taken.

    Documents that were never read go; they come back when they are read.
    """
    _release(Document.objects.filter(last_run=run_id, lease_until__isnull=False))


@transaction.atomic
def release_version(*, source_id: int, external_id: str) -> None:
    """Give up the lease of one document that was refused, if it was given one."""
    if not is_storable(external_id):
        return
    _release(
        Document.objects.filter(
            source=source_id, external_id=external_id, lease_until__isnull=False
        )
    )


def _release(claimed: QuerySet[Document]) -> None:
    unread(claimed).delete()
    claimed.filter(attempts__gt=0).update(attempts=F("attempts") - 1)
    claimed.update(lease_until=None)


def unread(documents: QuerySet[Document]) -> QuerySet[Document]:
    """Return those documents of which nothing but their name is known yet."""
    return documents.filter(
        status=DocumentStatus.INDEXING, indexed_at__isnull=True, body__isnull=True
    )


def _extend(hashes: Mapping[int, str], *, until: datetime, run_id: int | None) -> None:
    """Count one more try of each version; of another version than the last, the first."""
    if not hashes:
        return
    claimed_hash = Case(*[When(pk=key, then=Value(value)) for key, value in hashes.items()])
    _unlocked(Document.objects.filter(pk__in=hashes)).update(
        attempts=Case(When(claimed_hash=claimed_hash, then=F("attempts") + 1), default=1),
        claimed_hash=claimed_hash,
        lease_until=until,
        last_run_id=run_id,
    )


def _unlocked(documents: QuerySet[Document]) -> QuerySet[Document]:
    """Lock what nobody writes now: waiting for others here could wait in a circle."""
    rows = documents.order_by().select_for_update(skip_locked=True, of=("self",))
    return Document.objects.filter(pk__in=list(rows.values_list("pk", flat=True)))


def _lease_end(run: RunContext | None) -> datetime:
    seconds = knowledge_settings().lease_seconds if run else UNATTENDED_SECONDS
    return timezone.now() + timedelta(seconds=seconds)
