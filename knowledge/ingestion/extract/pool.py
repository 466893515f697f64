"""Reader processes of this process: started when needed, reused, replaced when they die."""

import atexit
import contextlib
import os
import select
import subprocess
import sys
import threading
import time
from pathlib import Path

from knowledge.ingestion.extract.limits import ExtractionLimits
from knowledge.ingestion.extract.wire import (
    HEADER_BYTES,
    answer_length,
    decode_answer,
    encode_request,
)
from knowledge.ingestion.types import Extraction, ExtractionStatus

_ROOT = Path(__file__).resolve().parents[3]
_BLOCK_BYTES = 1024 * 1024
_MAX_WORKERS = 2
_START_SECONDS = 30.0
# What a reader needs to start; it gets no secrets of the service.
_KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "TMPDIR", "TZ", "TESSDATA_PREFIX", "SYSTEMROOT")


class WorkerCrashedError(Exception):
    """The reader process ended before it answered."""


class WorkerTimeoutError(Exception):
    """The reader process did not answer in time."""


class Worker:
    """One reader process."""

    def __init__(self) -> None:
        environment = {key: os.environ[key] for key in _KEPT_VARIABLES if key in os.environ}
        search_path = [str(_ROOT), *(entry for entry in sys.path if entry)]
        environment["PYTHONPATH"] = os.pathsep.join(search_path)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "knowledge.ingestion.extract.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            bufsize=0,
            start_new_session=True,
        )
        self._is_fresh = True

    @property
    def process_id(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def read(self, path: Path, limits: ExtractionLimits, *, as_page: bool = False) -> Extraction:
        """Ask for one file; raise WorkerCrashedError or WorkerTimeoutError."""
        deadline = time.monotonic() + limits.max_seconds
        if self._is_fresh:
            deadline += _START_SECONDS
        try:
            self._send(encode_request(path, limits, as_page=as_page))
            header = self._receive(HEADER_BYTES, deadline)
            self._is_fresh = False
            return decode_answer(self._receive(answer_length(header), deadline))
        except (OSError, ValueError) as error:
            raise WorkerCrashedError from error

    def stop(self) -> None:
        """End the process and release its pipes."""
        with contextlib.suppress(OSError):
            self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()

    def disown(self) -> None:
        """Let go, after a fork, of a process that belongs to the parent."""
        self._process.poll()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()

    def _send(self, request: bytes) -> None:
        if self._process.stdin is None:
            raise WorkerCrashedError
        self._process.stdin.write(request)

    def _receive(self, size: int, deadline: float) -> bytes:
        stream = self._process.stdout
        if stream is None:
            raise WorkerCrashedError
        # Unlike select(), poll() knows descriptors beyond 1024, which busy servers reach.
        poller = select.poll()
        poller.register(stream, select.POLLIN)
        received = bytearray()
        while len(received) < size:
            left_milliseconds = max(0.0, deadline - time.monotonic()) * 1000
            if not poller.poll(left_milliseconds):
                raise WorkerTimeoutError
            block = stream.read(min(_BLOCK_BYTES, size - len(received)))
            if not block:
                raise WorkerCrashedError
            received += block
        return bytes(received)


class WorkerPool:
    """Hands files to at most `size` reader processes; safe to use from several threads."""

    def __init__(self, size: int = _MAX_WORKERS) -> None:
        self._size = size
        self._slots = threading.BoundedSemaphore(size)
        self._lock = threading.Lock()
        self._idle: list[Worker] = []

    def extract(self, path: Path, limits: ExtractionLimits, *, as_page: bool = False) -> Extraction:
        """Read a file in a reader process; its death or delay becomes the reason of a refusal."""
        with self._slots:
            worker = self._take()
            if worker is not None:
                with contextlib.suppress(WorkerCrashedError):
                    return self._read(worker, path, limits, as_page=as_page)
            # A reader that has served before may have died of an earlier file: ask a new one.
            try:
                return self._read(Worker(), path, limits, as_page=as_page)
            except WorkerCrashedError:
                return _refuse(
                    "The reader crashed on this file or ran out of memory:"
                    " save it anew, split it or use another format"
                )

    def _read(
        self, worker: Worker, path: Path, limits: ExtractionLimits, *, as_page: bool
    ) -> Extraction:
        try:
            extraction = worker.read(path, limits, as_page=as_page)
        except WorkerTimeoutError:
            worker.stop()
            return _refuse(
                f"Reading took longer than {limits.max_seconds:g} seconds: split the file"
            )
        except BaseException:
            worker.stop()
            raise
        with self._lock:
            self._idle.append(worker)
        return extraction

    @property
    def idle_process_ids(self) -> list[int]:
        """Name the reader processes that wait for work."""
        with self._lock:
            return [worker.process_id for worker in self._idle]

    def stop(self) -> None:
        """End all idle reader processes."""
        with self._lock:
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.stop()

    def forget(self) -> None:
        """Start afresh in a forked child, which must not share pipes with its parent."""
        inherited, self._idle = self._idle, []
        self._slots = threading.BoundedSemaphore(self._size)
        self._lock = threading.Lock()
        for worker in inherited:
            worker.disown()

    def _take(self) -> Worker | None:
        with self._lock:
            while self._idle:
                worker = self._idle.pop()
                if worker.is_alive:
                    return worker
                worker.stop()
        return None


def _refuse(reason: str) -> Extraction:
    return Extraction(status=ExtractionStatus.REFUSED, reason=reason)


POOL = WorkerPool()
atexit.register(POOL.stop)
os.register_at_fork(after_in_child=POOL.forget)
