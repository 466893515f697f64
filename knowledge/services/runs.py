"""Where a run stands: made, started, set back, taken up again, and brought to its end."""

import logging
import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from typing import Any

from django.db import Error, InterfaceError, OperationalError, connection, transaction
from django.db.models import Count, Q, Sum
from django.utils import timezone

from crmind.exceptions import ConflictError, CRMindError
from knowledge.conf import knowledge_settings
from knowledge.exceptions import EmbeddingError
from knowledge.models import IngestionRun, RunStatus, RunTrigger, Source, SourceHealth
from knowledge.services.backoff import PASSING_FAULT, Backoff
from knowledge.services.claims import release_claims
from knowledge.services.heartbeat import beating
from knowledge.services.recording import RunCancelledError, RunRecorder

HEALTH_REASON_LENGTH = 500
BUSY_SECONDS = 30.0
# What may be gone when it is tried again; anything else would only fail again.
PASSING_FAULTS = (EmbeddingError, OperationalError, InterfaceError)

logger = logging.getLogger(__name__)


class RunBusyError(ConflictError):
    """Another process is working on the run."""

    code = "run_busy"


class RunOverError(ConflictError):
    """The run has ended already: there is nothing left to stop."""

    code = "run_over"


def create_run(
    *,
    source: Source | None,
    trigger: RunTrigger,
    user_id: Any = None,
    expected: int | None = None,
    kind: str = "",
    arguments: Mapping[str, Any] | None = None,
) -> IngestionRun:
    """Add a run that waits to be started.

    With its kind and arguments anybody can take it up: a worker after another one died, and a
    curator who wants to try its failed documents once more.
    """
    return IngestionRun.objects.create(
        source=source,
        trigger=trigger,
        requested_by_id=user_id,
        expected=expected,
        kind=kind,
        arguments=dict(arguments or {}),
    )


def start_run(*, run: IngestionRun, expected: int | None = None) -> IngestionRun:
    """Mark a run as running; one that was set back begins again and finds what it stored.

    Raises RunCancelledError if it was cancelled while it waited, RunBusyError while another process
    works on it.
    """
    if IngestionRun.objects.filter(pk=run.pk, is_cancel_requested=True).exists():
        mark_cancelled(run=run, now=timezone.now())
        raise RunCancelledError
    return _start(run, expected)


@transaction.atomic
def _start(run: IngestionRun, expected: int | None) -> IngestionRun:
    current = IngestionRun.objects.select_for_update().get(pk=run.pk)
    now = timezone.now()
    if current.status == RunStatus.RUNNING and not is_silent(current, now=now):
        raise RunBusyError
    is_resumed = current.setbacks > 0
    current.status = RunStatus.RUNNING
    current.status_reason = ""
    current.expected = expected if expected is not None else current.expected
    current.seen = current.added = current.updated = 0
    current.unchanged = current.removed = current.failed = 0
    current.started_at = (current.started_at if is_resumed else None) or now
    current.heartbeat_at = now
    current.due_at = current.finished_at = None
    current.save()
    current.log.all().delete()
    return current


def is_silent(run: IngestionRun, *, now: datetime) -> bool:
    """Tell whether a run that should give signs of life has given none for too long."""
    lease = timedelta(seconds=knowledge_settings().lease_seconds)
    return run.heartbeat_at is None or now - run.heartbeat_at > lease


@contextmanager
def running(run: IngestionRun, *, expected: int | None = None) -> Iterator[RunRecorder]:
    """Start a run and bring it to its end, whatever happens within.

    A run that is cancelled stops there. One that the queue gave out waits and is tried again after
    a fault that may pass; any other error is recorded and goes on. Raises RunCancelledError for one
    that was cancelled while it waited, RunBusyError while another process works on it.
    """
    started = start_run(run=run, expected=expected)
    try:
        with beating(run.pk) as is_cancelled:
            recorder = RunRecorder(started, is_cancelled)
            yield recorder
            recorder.flush()
    except RunCancelledError:
        release_claims(run.pk)
        mark_cancelled(run=run, now=timezone.now())
    except PASSING_FAULTS as error:
        if not _is_postponed(started, error):
            _give_up(run, error)
            raise
    except BaseException as error:
        _give_up(run, error)
        raise
    else:
        finish_run(run=run, now=timezone.now())


def _is_postponed(run: IngestionRun, error: Exception) -> bool:
    """Set a run of the queue back; False if it is none, or was tried often enough."""
    if not run.is_resumable:
        return False
    logger.warning("run %s is set back: %s", run.pk, error)
    try:
        release_claims(run.pk)
        return set_back(run=run, reason=_reason(error), backoff=PASSING_FAULT, now=timezone.now())
    except Error:
        # Without the database nothing can be written: the silence of the run tells it.
        connection.close()
        return True


def _give_up(run: IngestionRun, error: BaseException) -> None:
    with suppress(Error):
        release_claims(run.pk)
        fail_run(run=run, reason=_reason(error), now=timezone.now())


def _reason(error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt):
        return "The run was interrupted."
    if isinstance(error, CRMindError):
        return error.message
    return str(error) or type(error).__name__


@transaction.atomic
def set_back(*, run: IngestionRun, reason: str, backoff: Backoff, now: datetime) -> bool:
    """Let a run wait and be tried again, or return False if that was tried often enough.

    A run that got further since its last setback begins to count anew.
    """
    current = IngestionRun.objects.select_for_update().get(pk=run.pk)
    progress = _progress(current)
    current.setbacks = current.setbacks + 1 if progress <= current.progress_mark else 1
    current.progress_mark = max(progress, current.progress_mark)
    if backoff.is_over(current.setbacks):
        return False
    delay = backoff.delay_seconds(current.setbacks, jitter=random.random())  # noqa: S311
    current.status = RunStatus.WAITING
    current.status_reason = reason
    current.due_at = now + timedelta(seconds=delay)
    current.queued_at = None
    current.save()
    return True


@transaction.atomic
def let_wait(*, run: IngestionRun, reason: str, now: datetime) -> None:
    """Let a run wait for another one; that is no setback."""
    current = IngestionRun.objects.select_for_update().get(pk=run.pk)
    if current.status == RunStatus.WAITING:
        current.status_reason = reason
        current.due_at = now + timedelta(seconds=BUSY_SECONDS)
        current.queued_at = None
        current.save()


def _progress(run: IngestionRun) -> int:
    """Return a number that grows with each document that is done, and with each new try of one."""
    counted = run.documents.aggregate(
        done=Count("pk", filter=Q(lease_until__isnull=True)),
        tries=Sum("attempts", filter=Q(lease_until__isnull=False)),
    )
    return int(counted["done"]) + int(counted["tries"] or 0)


@transaction.atomic
def finish_run(*, run: IngestionRun, now: datetime) -> IngestionRun:
    """Mark a run as done; its source takes its health from it."""
    current = IngestionRun.objects.select_for_update().get(pk=run.pk)
    current.status = RunStatus.DONE
    current.expected = current.seen
    current.finished_at = current.heartbeat_at = now
    current.save()
    _note_health(current, now)
    return current


@transaction.atomic
def fail_run(*, run: IngestionRun, reason: str, now: datetime) -> IngestionRun:
    """Mark a run as failed, with the reason."""
    current = IngestionRun.objects.select_for_update().get(pk=run.pk)
    current.status = RunStatus.FAILED
    current.status_reason = reason or "The run ended without saying why."
    current.finished_at = now
    current.save()
    _set_health(current, SourceHealth.FAILING, current.status_reason, now)
    return current


@transaction.atomic
def cancel_run(*, run: IngestionRun, now: datetime) -> IngestionRun:
    """Ask a run to stop; one that still waits is cancelled at once.

    Raises RunOverError.
    """
    current = IngestionRun.objects.select_for_update().get(pk=run.pk)
    if current.is_over:
        raise RunOverError
    current.is_cancel_requested = True
    if current.status == RunStatus.WAITING:
        current.status = RunStatus.CANCELLED
        current.finished_at = now
    current.save()
    return current


@transaction.atomic
def mark_cancelled(*, run: IngestionRun, now: datetime) -> IngestionRun:
    """Record that a run stopped because somebody asked for it; what it stored stays."""
    current = IngestionRun.objects.select_for_update().get(pk=run.pk)
    current.status = RunStatus.CANCELLED
    current.finished_at = now
    current.save()
    return current


def _note_health(run: IngestionRun, now: datetime) -> None:
    if not run.failed:
        _set_health(run, SourceHealth.OK, "", now)
    elif run.failed < run.seen:
        reason = f"{run.failed} of {run.seen} documents need attention."
        _set_health(run, SourceHealth.DEGRADED, reason, now)
    else:
        reason = f"All {run.seen} documents need attention."
        _set_health(run, SourceHealth.FAILING, reason, now)


def _set_health(run: IngestionRun, health: SourceHealth, reason: str, now: datetime) -> None:
    if run.source_id is not None:
        Source.objects.filter(pk=run.source_id).update(
            health=health, health_reason=reason[:HEALTH_REASON_LENGTH], last_run_at=now
        )
