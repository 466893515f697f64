"""Measures what many who ask at once have to wait."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from threading import Barrier, Lock
from time import perf_counter

from django.db import connection

from retrieval.evaluation.metrics import percentile


def measure_concurrency(asks: Sequence[Callable[[], object]], *, at_once: int) -> dict[str, float]:
    """Return the times of a question, and how many a second are answered, `at_once` at a time.

    Each thread has a connection of its own, opened before the clock starts.
    """
    remaining = iter(asks)
    lock = Lock()
    start = Barrier(at_once + 1)

    def work() -> list[float]:
        milliseconds: list[float] = []
        try:
            connection.ensure_connection()
            start.wait()
            while True:
                with lock:
                    taken = list(islice(remaining, 1))
                if not taken:
                    return milliseconds
                started = perf_counter()
                taken[0]()
                milliseconds.append((perf_counter() - started) * 1000)
        except BaseException:
            start.abort()
            raise
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=at_once) as threads:
        workers = [threads.submit(work) for _ in range(at_once)]
        start.wait()
        started = perf_counter()
        milliseconds = [taken for worker in workers for taken in worker.result()]
        seconds = perf_counter() - started
    return {
        "p50_ms": round(percentile(milliseconds, 0.50), 1),
        "p95_ms": round(percentile(milliseconds, 0.95), 1),
        "queries_per_second": round(len(milliseconds) / seconds, 1),
    }
