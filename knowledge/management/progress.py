"""The progress bar of long commands."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)

from knowledge.services.ingest import Progress as RunProgress

SHOWN_NAME_LENGTH = 40


@contextmanager
def progress_bar() -> Iterator[Callable[[RunProgress], None]]:
    """Show on standard error, if that is a terminal, how far a run is; yield what tells it."""
    console = Console(stderr=True)
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}", markup=False),
    )
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    with bar:
        task = bar.add_task("", total=None)

        def show(progress: RunProgress) -> None:
            bar.update(
                task,
                completed=progress.seen,
                total=progress.expected,
                description=progress.current[-SHOWN_NAME_LENGTH:],
            )

        yield show
