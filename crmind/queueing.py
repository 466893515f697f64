"""A queue worker that outlives the death of any of its processes."""

import logging
import multiprocessing
import os
import signal
import time
from contextlib import suppress
from queue import Empty
from types import FrameType
from typing import Any

from django.db import Error, connections
from django_q.cluster import Cluster
from django_q.queues import Queue

from knowledge.conf import knowledge_settings
from knowledge.tasks import check_due_sources, reconcile

LOOKS_PER_LEASE = 3
POLL_SECONDS = 0.2
STUCK_SECONDS = 10.0

logger = logging.getLogger(__name__)


class SteadyQueue(Queue):  # type: ignore[misc] # the library has no types
    """Takes the lock of the queue only to read what is there.

    The library waits for work while it holds that lock: a process that is killed while it has
    nothing to do leaves it locked, and no other one ever gets work again.
    """

    def get(self, *args: Any, **kwargs: Any) -> Any:
        """Return the next entry, once there is one; end the process if its parent has died."""
        refused_since = 0.0
        while True:
            _end_orphan()
            if not self._reader.poll(POLL_SECONDS):
                refused_since = 0.0
                continue
            with suppress(Empty):
                return super().get(block=False)
            refused_since = refused_since or time.monotonic()
            if time.monotonic() - refused_since > STUCK_SECONDS:
                # Whoever held the lock died with it: only a new queue helps.
                os.kill(os.getppid(), signal.SIGTERM)
            time.sleep(POLL_SECONDS / 20)


def _end_orphan() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None and os.getppid() != parent.pid:
        raise SystemExit(1)


class WatchedCluster(Cluster):  # type: ignore[misc] # the library has no types
    """The processes of the queue, with a watch over what a dead one leaves behind."""

    def __init__(self) -> None:
        self._is_stop_asked = False
        super().__init__()

    def sig_handler(self, signum: int, frame: FrameType | None) -> None:
        """Remember that a stop was asked for: the watch may be within a transaction."""
        self._is_stop_asked = True

    def watch(self) -> bool:
        """Reconcile until asked to stop, then stop; False if the processes died by themselves."""
        looked_at = 0.0
        seconds = knowledge_settings().lease_seconds / LOOKS_PER_LEASE
        while not self._is_stop_asked:
            if not self.sentinel.is_alive():
                logger.critical("the queue's processes died")
                return False
            if time.monotonic() - looked_at >= seconds:
                _reconcile()
                looked_at = time.monotonic()
            time.sleep(POLL_SECONDS)
        connections.close_all()
        self.stop()
        return True


def _reconcile() -> None:
    try:
        reconcile()
        check_due_sources()
    except Error:
        # A database that is away now is asked again in a moment.
        logger.warning("work could not be reconciled", exc_info=True)
        connections.close_all()
