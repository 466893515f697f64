"""The reader process: reads files one after another under limits of the operating system."""

import os
import resource
import select
import signal
from typing import BinaryIO

from knowledge.ingestion.extract.engine import load_pdf_library
from knowledge.ingestion.extract.limits import ExtractionLimits
from knowledge.ingestion.extract.reader import read_file
from knowledge.ingestion.extract.wire import encode_answer, read_request
from knowledge.ingestion.types import Extraction, ExtractionStatus

IDLE_SECONDS = 120


class PipeReader:
    """Whole reads from a descriptor without read-ahead, so that `select` tells the truth."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def fileno(self) -> int:
        """Return the descriptor, as `select` asks for it."""
        return self._descriptor

    def read(self, size: int) -> bytes:
        """Return `size` bytes, fewer only at the end of the stream."""
        received = b""
        while len(received) < size:
            block = os.read(self._descriptor, size - len(received))
            if not block:
                break
            received += block
        return received


def serve(requests: PipeReader, answers: BinaryIO) -> None:
    """Answer requests until the other side closes or nothing comes for a while."""
    while _is_request_waiting(requests):
        request = read_request(requests)
        if request is None:
            return
        _apply(request.limits)
        try:
            extraction = read_file(request.path, request.limits, as_page=request.as_page)
        except MemoryError:
            reason = "The file needs more memory than is allowed: split it"
            extraction = Extraction(status=ExtractionStatus.REFUSED, reason=reason)
        answers.write(encode_answer(extraction))
        answers.flush()
        signal.setitimer(signal.ITIMER_REAL, 0)


def _is_request_waiting(requests: PipeReader) -> bool:
    ready, _, _ = select.select([requests], [], [], IDLE_SECONDS)
    return bool(ready)


def _apply(limits: ExtractionLimits) -> None:
    """Bound memory, and let the kernel end this process if nobody else does in time."""
    _, ceiling = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (limits.max_memory_bytes, ceiling))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, limits.max_seconds * 2)


def main() -> None:
    """Serve on the standard streams, which no library may then write to."""
    requests = PipeReader(os.dup(0))
    answers = os.fdopen(os.dup(1), "wb")
    silent = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silent, stream)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    load_pdf_library()
    # Readers work in memory: a file that makes one write to disk has broken out.
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    serve(requests, answers)


if __name__ == "__main__":
    main()
