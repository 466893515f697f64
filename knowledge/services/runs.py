"""Writes of ingestion runs: their counts, heartbeat and log."""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from crmind.exceptions import ConflictError
from knowledge.ingestion.clean import clean_text
from knowledge.models import (
    IngestionLogEntry,
    IngestionRun,
    RunStatus,
    RunTrigger,
    Source,
    SourceHealth,
)
from knowledge.services.types import Outcome, StoreOutcome

HEALTH_REASON_LENGTH = 500
HEARTBEAT_SECONDS = 1.0


class RunCancelledError(ConflictError):
    """Somebody asked for the run to stop."""

    code = "run_cancelled"


def create_run(
    *,
    source: Source | None,
    trigger: RunTrigger,
    user_id: Any = None,
    expected: int | None = None,
) -> IngestionRun:
    """Add a run that waits to be started."""
    return IngestionRun.objects.create(
        source=source, trigger=trigger, requested_by_id=user_id, expected=expected
    )


def start_run(*, run: IngestionRun, expected: int | None = None) -> IngestionRun:
    """Mark a run as running, from nothing: a run that was interrupted starts again.

    Raises RunCancelledError if it was cancelled while it waited.
    """
    if IngestionRun.objects.filter(pk=run.pk, is_cancel_requested=True).exists():
        mark_cancelled(run=run, now=timezone.now())
        raise RunCancelledError
    return _start(run, expected)


@transaction.atomic
def _start(run: IngestionRun, expected: int | None) -> IngestionRun:
    current = IngestionRun.objects.select_for_update().get(pk=run.pk)
    now = timezone.now()
    current.status = RunStatus.RUNNING
    current.status_reason = ""
    current.expected = expected if expected is not None else current.expected
    current.seen = current.added = current.updated = 0
    current.unchanged = current.removed = current.failed = 0
    current.started_at = current.heartbeat_at = now
    current.finished_at = None
    current.save()
    current.log.all().delete()
    return current


class RunRecorder:
    """Counts the documents of a run and logs those that were not simply taken in.

    Written about once a second, which also is the run's sign of life.
    """

    def __init__(self, run: IngestionRun) -> None:
        self._run_id = run.pk
        self._counts: Counter[str] = Counter()
        self._entries: list[IngestionLogEntry] = []
        self._written_at = time.monotonic()

    def record(self, outcome: StoreOutcome) -> None:
        """Count one document. Raises RunCancelledError once somebody asked for the run to stop."""
        counted = Outcome.FAILED if outcome.needs_attention else outcome.outcome
        self._counts.update(["seen", counted.value])
        self._entries.extend(self._lines(outcome))
        if time.monotonic() - self._written_at >= HEARTBEAT_SECONDS:
            self.flush()

    def note(self, message: str) -> None:
        """Log something that concerns no single document."""
        level = IngestionLogEntry.Level.WARNING
        self._entries.append(IngestionLogEntry(run_id=self._run_id, level=level, message=message))

    def flush(self) -> None:
        """Write what was counted. Raises RunCancelledError once somebody asked for a stop."""
        IngestionLogEntry.objects.bulk_create(self._entries)
        additions = {name: F(name) + count for name, count in self._counts.items()}
        row = IngestionRun.objects.filter(pk=self._run_id)
        row.update(**additions, heartbeat_at=timezone.now())
        self._counts.clear()
        self._entries.clear()
        self._written_at = time.monotonic()
        if row.filter(is_cancel_requested=True).exists():
            raise RunCancelledError

    def _lines(self, outcome: StoreOutcome) -> list[IngestionLogEntry]:
        levels = IngestionLogEntry.Level
        lines = [(levels.ERROR, outcome.reason)] if outcome.reason else []
        if outcome.outcome is not Outcome.UNCHANGED:
            lines += [(levels.WARNING, warning) for warning in outcome.warnings]
        return [
            IngestionLogEntry(
                run_id=self._run_id, level=level, external_id=external_id, message=message
            )
            for external_id in [clean_text(outcome.external_id).text[:1000]]
            for level, message in lines
        ]


@contextmanager
def running(run: IngestionRun, *, expected: int | None = None) -> Iterator[RunRecorder]:
    """Start a run and bring it to its end, whatever happens within.

    A run that is cancelled stops there; any other error is recorded and goes on. Raises
    RunCancelledError for one that was cancelled while it waited.
    """
    recorder = RunRecorder(start_run(run=run, expected=expected))
    try:
        yield recorder
        recorder.flush()
    except RunCancelledError:
        mark_cancelled(run=run, now=timezone.now())
    except BaseException as error:
        fail_run(run=run, reason=_reason(error), now=timezone.now())
        raise
    else:
        finish_run(run=run, now=timezone.now())


def _reason(error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt):
        return "The run was interrupted."
    return str(error) or type(error).__name__


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
    """Ask a run to stop; one that still waits is cancelled at once."""
    current = IngestionRun.objects.select_for_update().get(pk=run.pk)
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
