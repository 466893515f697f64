"""Keeps the processes of a local installation running until told to stop."""

import logging
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from types import FrameType

logger = logging.getLogger(__name__)

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
GRACE_SECONDS = 15.0
RESTART_DELAY_SECONDS = 1.0
POLL_SECONDS = 0.2


class StopRequested(Exception):
    """Somebody asked to stop."""


class Supervisor:
    """Starts commands, restarts those that die, and stops all of them together.

    Used as a context manager: leaving it stops every command, whatever the cause.
    """

    def __init__(self, commands: Mapping[str, Sequence[str]]) -> None:
        self._commands = commands
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> "Supervisor":
        for number in STOP_SIGNALS:
            signal.signal(number, _request_stop)
        for name in self._commands:
            self._start(name)
        return self

    def __exit__(self, *_exception: object) -> None:
        # A second Ctrl-C must not leave half of them behind.
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        self._stop()

    def watch(self) -> None:
        """Restart what dies until a stop is requested. Raises StopRequested."""
        while True:
            time.sleep(POLL_SECONDS)
            for name, process in list(self._running.items()):
                if process.poll() is not None:
                    logger.error("%s ended with status %s; restarting", name, process.returncode)
                    time.sleep(RESTART_DELAY_SECONDS)
                    self._start(name)

    def has_ended(self, name: str) -> bool:
        """Tell whether the named command is not running."""
        return self._running[name].poll() is not None

    def _start(self, name: str) -> None:
        # A session of its own: Ctrl-C reaches the supervisor alone, which stops them in order.
        self._running[name] = subprocess.Popen(  # noqa: S603 # commands are our own
            self._commands[name], start_new_session=True
        )

    def _stop(self) -> None:
        for process in self._running.values():
            process.terminate()
        deadline = time.monotonic() + GRACE_SECONDS
        for name, process in self._running.items():
            try:
                process.wait(timeout=max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                logger.warning("%s did not end in time; killed", name)
                process.kill()
                process.wait()


def _request_stop(_number: int, _frame: FrameType | None) -> None:
    raise StopRequested
