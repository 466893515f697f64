"""Counts what becomes of the documents of a run, and keeps its log."""

import threading
import time
from collections import Counter

from django.db.models import F
from django.utils import timezone

from crmind.exceptions import ConflictError
from knowledge.ingestion.clean import clean_text
from knowledge.models import IngestionLogEntry, IngestionRun
from knowledge.services.claims import RunContext
from knowledge.services.types import Outcome, StoreOutcome

FLUSH_SECONDS = 0.25


class RunCancelledError(ConflictError):
    """Somebody asked for the run to stop."""

    code = "run_cancelled"


class RunRecorder:
    """Counts the documents of a run and logs those that were not simply taken in.

    Written about once a second, which also is the run's sign of life.
    """

    def __init__(self, run: IngestionRun, is_cancelled: threading.Event) -> None:
        self._run_id = run.pk
        self._is_cancelled = is_cancelled
        self.context = RunContext.of(run)
        self._counts: Counter[str] = Counter()
        self._entries: list[IngestionLogEntry] = []
        self._expected: int | None = None
        self._written_at = time.monotonic()

    def record(self, outcome: StoreOutcome, *, expected: int | None = None) -> None:
        """Count one document, of so many as far as is known.

        Raises RunCancelledError once somebody asked for the run to stop.
        """
        self._expected = expected
        counted = Outcome.FAILED if outcome.needs_attention else outcome.outcome
        self._counts.update(["seen", counted.value])
        self._entries.extend(self._lines(outcome))
        if self._is_cancelled.is_set() or time.monotonic() - self._written_at >= FLUSH_SECONDS:
            self.flush()

    def note(self, message: str) -> None:
        """Log something that concerns no single document."""
        level = IngestionLogEntry.Level.WARNING
        self._entries.append(IngestionLogEntry(run_id=self._run_id, level=level, message=message))

    def flush(self) -> None:
        """Write what was counted. Raises RunCancelledError once somebody asked for a stop."""
        IngestionLogEntry.objects.bulk_create(self._entries)
        additions = {name: F(name) + count for name, count in self._counts.items()}
        known = {} if self._expected is None else {"expected": self._expected}
        row = IngestionRun.objects.filter(pk=self._run_id)
        row.update(**additions, **known, heartbeat_at=timezone.now())
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
