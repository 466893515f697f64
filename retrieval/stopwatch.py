"""Times the stages of a search."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter


class Stopwatch:
    """Keeps the milliseconds of each stage by name."""

    def __init__(self) -> None:
        self.milliseconds: dict[str, float] = {}

    @contextmanager
    def time(self, stage: str) -> Iterator[None]:
        """Time the block as `stage`."""
        started = perf_counter()
        yield
        self.milliseconds[stage] = (perf_counter() - started) * 1000
