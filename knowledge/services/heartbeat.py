"""A sign of life of a run, given while its own thread is busy with one document for minutes."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import Error, connections
from django.utils import timezone

from knowledge.conf import knowledge_settings
from knowledge.models import IngestionRun, RunStatus
from knowledge.services.claims import renew_leases

BEATS_PER_LEASE = 5

logger = logging.getLogger(__name__)


@contextmanager
def beating(run_id: int) -> Iterator[threading.Event]:
    """Give signs of life until left; the event is set once somebody asks the run to stop."""
    is_over = threading.Event()
    is_cancelled = threading.Event()
    seconds = knowledge_settings().lease_seconds / BEATS_PER_LEASE

    def beat_on() -> None:
        try:
            while not is_over.wait(seconds):
                _beat(run_id, is_cancelled)
        finally:
            connections.close_all()

    thread = threading.Thread(target=beat_on, name=f"heartbeat of run {run_id}", daemon=True)
    thread.start()
    try:
        yield is_cancelled
    finally:
        is_over.set()
        thread.join()


def _beat(run_id: int, is_cancelled: threading.Event) -> None:
    try:
        run = IngestionRun.objects.filter(pk=run_id, status=RunStatus.RUNNING)
        run.update(heartbeat_at=timezone.now())
        renew_leases(run_id)
        if run.filter(is_cancel_requested=True).exists():
            is_cancelled.set()
    except Error:
        # The database may be back at the next beat; until then a lease may run out, rightly.
        logger.warning("run %s could not give a sign of life", run_id, exc_info=True)
        connections.close_all()
