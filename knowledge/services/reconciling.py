"""Finds work that lost its worker or its task, and sees to it that it comes to an end."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet

from knowledge.conf import knowledge_settings
from knowledge.exceptions import UnknownDocumentError, WorkerDiedError
from knowledge.models import Document, DocumentStatus, IngestionRun, RunKind, RunTrigger
from knowledge.services.backoff import MOST_DOCUMENT_ATTEMPTS, WORKER_DEATH
from knowledge.services.locking import try_lock
from knowledge.services.runs import create_run, fail_run, mark_cancelled, set_back
from knowledge.services.trouble import record_death

RECONCILE_LOCK = 7_310_043
# What was made a moment ago may still be on its way to the queue.
GRACE_SECONDS = 60.0
MOST_DOCUMENTS = 1_000

WORKER_DIED = WorkerDiedError().message
PROCESS_ENDED = "The process that read it ended before it was done; read it again"
RUN_PROCESS_ENDED = (
    "The process that ran it ended before it was done. Start it again: what was stored is not"
    " stored twice."
)
RUN_WORKER_DIED = "Its worker died"
RUN_WORKER_DIES = "Its worker died again and again without getting any further."


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconciled:
    """What was found; `to_queue` are runs that a worker has to be told of."""

    to_queue: tuple[int, ...] = ()
    set_back: int = 0
    runs_failed: int = 0
    documents_failed: int = 0
    documents_requeued: int = 0
    leases_ended: int = 0

    @property
    def counts(self) -> dict[str, int]:
        """The counts by name."""
        return {**asdict(self), "to_queue": len(self.to_queue)}


@transaction.atomic
def reconcile(*, is_queued: Callable[[IngestionRun], bool], now: datetime) -> Reconciled:
    """Look once at everything that is not over; nothing is done while another process looks.

    `is_queued` tells whether the queue still holds a task for a run that was handed to it.
    """
    if not try_lock(RECONCILE_LOCK):
        return Reconciled()
    set_back_count, failed_runs = _end_silent_runs(now)
    stranded = _stranded_documents(now)
    failed, requeued, ended = _end_stranded_documents(stranded)
    return Reconciled(
        to_queue=_hand_out(is_queued, now),
        set_back=set_back_count,
        runs_failed=failed_runs,
        documents_failed=failed,
        documents_requeued=requeued,
        leases_ended=ended,
    )


def _end_silent_runs(now: datetime) -> tuple[int, int]:
    """Set back the runs whose process has died; fail those nobody can take up."""
    moment = now - timedelta(seconds=knowledge_settings().lease_seconds)
    set_back_count = failed = 0
    for run in IngestionRun.objects.silent_since(moment):
        if run.is_cancel_requested:
            mark_cancelled(run=run, now=now)
        elif not run.is_resumable:
            fail_run(run=run, reason=RUN_PROCESS_ENDED, now=now)
            failed += 1
        elif set_back(run=run, reason=f"{RUN_WORKER_DIED}.", backoff=WORKER_DEATH, now=now):
            set_back_count += 1
        else:
            fail_run(run=run, reason=RUN_WORKER_DIES, now=now)
            failed += 1
    return set_back_count, failed


def _stranded_documents(now: datetime) -> QuerySet[Document]:
    """Return documents that wait, or were being worked on, and that no run will come back to."""
    waits = Q(status=DocumentStatus.PENDING, lease_until=None) & Q(
        updated_at__lt=now - timedelta(seconds=GRACE_SECONDS)
    )
    stranded: QuerySet[Document] = Document.objects.filter(waits | Q(lease_until__lt=now)).exclude(
        last_run__in=IngestionRun.objects.live()
    )
    return stranded


def _end_stranded_documents(stranded: QuerySet[Document]) -> tuple[int, int, int]:
    """Fail, index from the text that is kept, or leave as it was; return how many of each."""
    to_index: list[int] = []
    failed = ended = 0
    rows = stranded.select_related("body").only(
        *("pk", "source_id", "external_id", "attempts", "status", "body__document")
    )
    for document in rows.order_by("pk")[:MOST_DOCUMENTS]:
        if document.attempts >= MOST_DOCUMENT_ATTEMPTS:
            failed += _fail(document, WORKER_DIED)
        elif document.status not in {DocumentStatus.PENDING, DocumentStatus.INDEXING}:
            Document.objects.filter(pk=document.pk).update(lease_until=None)
            ended += 1
        elif hasattr(document, "body"):
            to_index.append(document.pk)
        else:
            failed += _fail(document, PROCESS_ENDED)
    if to_index:
        _index_again(to_index)
    return failed, len(to_index), ended


def _fail(document: Document, reason: str) -> bool:
    with suppress(UnknownDocumentError):
        record_death(document=document, reason=reason)
        return True
    return False


def _index_again(document_ids: list[int]) -> None:
    run = create_run(
        source=None,
        trigger=RunTrigger.SCHEDULE,
        expected=len(document_ids),
        kind=RunKind.REINDEX_DOCUMENTS,
        arguments={"document_ids": document_ids},
    )
    Document.objects.filter(pk__in=document_ids).update(last_run=run, lease_until=None)


def _hand_out(is_queued: Callable[[IngestionRun], bool], now: datetime) -> tuple[int, ...]:
    """Return the waiting runs that are due and that the queue does not know."""
    recently = now - timedelta(seconds=GRACE_SECONDS)
    lost = []
    for run in IngestionRun.objects.due(now=now).order_by("pk"):
        is_new = run.due_at is None and (run.queued_at or run.created_at) > recently
        if not is_new and (run.queued_at is None or not is_queued(run)):
            lost.append(run.pk)
    return tuple(lost)
