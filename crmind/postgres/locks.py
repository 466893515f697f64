"""Advisory locks between processes, on files."""

import fcntl
import os
import time
from pathlib import Path

POLL_SECONDS = 0.02


class FileLock:
    """A flock on one file.

    The kernel lets go of it when the last copy of the descriptor is closed, however its owner
    ends. A forked child shares the lock with its parent: it may close it, but not change it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.fd = self._open()

    def _open(self) -> int:
        return os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def try_shared(self) -> bool:
        return self._try(fcntl.LOCK_SH)

    def try_exclusive(self) -> bool:
        return self._try(fcntl.LOCK_EX)

    def _try(self, operation: int) -> bool:
        try:
            fcntl.flock(self.fd, operation | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def wait_shared(self, timeout_seconds: float) -> bool:
        return self._wait(fcntl.LOCK_SH, timeout_seconds)

    def wait_exclusive(self, timeout_seconds: float) -> bool:
        return self._wait(fcntl.LOCK_EX, timeout_seconds)

    def _wait(self, operation: int, timeout_seconds: float) -> bool:
        deadline = time.monotonic() + timeout_seconds
        while not self._try(operation):
            if time.monotonic() >= deadline:
                return False
            time.sleep(POLL_SECONDS)
        return True

    def release(self) -> None:
        """Unlock for every holder of this descriptor, then close it."""
        fcntl.flock(self.fd, fcntl.LOCK_UN)
        os.close(self.fd)

    def close(self) -> None:
        """Close this copy; a parent or child that shares the lock keeps it."""
        os.close(self.fd)


def is_held(path: Path) -> bool:
    """Tell whether any process holds the lock of this file."""
    lock = FileLock(path)
    try:
        return not lock.try_exclusive()
    finally:
        lock.close()
