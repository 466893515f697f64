"""Keeps a server that is down from costing every question its timeout."""

import threading
import time
from collections.abc import Callable

from knowledge.exceptions import EmbeddingError

FAILURES = 3
PAUSE_SECONDS = 10.0


class CircuitBreaker:
    """Lets calls through until several failed in a row; then one at a time, after a pause.

    After M. Nygard, "Release It!" (2007): closed, open, half open.
    """

    def __init__(
        self,
        *,
        failures: int = FAILURES,
        pause_seconds: float = PAUSE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limit = failures
        self._pause_seconds = pause_seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._failed = 0
        self._closed_again_at = 0.0
        self._last_fault = ""

    def check(self) -> None:
        """Raise EmbeddingError while calls are not let through; the first after a pause is."""
        with self._lock:
            if self._failed < self._limit:
                return
            if self._clock() < self._closed_again_at:
                message = (
                    f"the embedding model failed {self._failed} times, last: {self._last_fault}"
                )
                raise EmbeddingError(message)
            self._closed_again_at = self._clock() + self._pause_seconds

    def succeed(self) -> None:
        """Note that a call was answered."""
        with self._lock:
            self._failed = 0

    def fail(self, fault: str) -> None:
        """Note that a call failed."""
        with self._lock:
            self._failed += 1
            self._last_fault = fault
            self._closed_again_at = self._clock() + self._pause_seconds
