"""How commands tell what became of the documents of a run."""

from collections.abc import Iterator
from typing import Any

from knowledge.services.ingest import DocumentReport, RunSummary
from knowledge.services.spaces import find_active_space, settings_note
from knowledge.services.types import Outcome


def summary_lines(summary: RunSummary, *, is_preview: bool = False) -> Iterator[str]:
    """Yield one line for each document that needs attention, then one for the whole."""
    for note in summary.notes:
        yield f"  note: {_one_line(note)}"
    for report in summary.failed:
        name = report.path or report.outcome.external_id
        yield f"  {_one_line(name)}: {_one_line(report.outcome.reason)}"
    added, updated, unchanged = (
        summary.count(outcome) for outcome in (Outcome.ADDED, Outcome.UPDATED, Outcome.UNCHANGED)
    )
    indexed = added + updated + unchanged
    done = "would be indexed" if is_preview else "indexed"
    yield (
        f"{indexed} {done}, {attention(len(summary.failed))}"
        f" ({added} added, {updated} updated, {unchanged} unchanged; {summary.seconds:.1f} s)"
    )
    if summary.removed:
        yield f"{summary.removed} gone from the source, taken out"
    if summary.to_remove:
        yield _held(summary.to_remove, is_preview=is_preview)


def _held(count: int, *, is_preview: bool) -> str:
    if is_preview:
        return f"{count} gone from the source"
    return (
        f"{count} gone from the source, still searched: say --confirm-removal to take them out, or"
        " confirm the run in the admin"
    )


def model_note() -> Iterator[str]:
    """Yield a line where the settings name another embedding model than the one in use."""
    space = find_active_space()
    note = settings_note(space) if space is not None else ""
    if note:
        yield f"  note: {note} `manage.py reembed` goes over to it."


def attention(count: int) -> str:
    """Return how many documents need attention, in words."""
    return f"{count} need{'s' if count == 1 else ''} attention"


def summary_record(summary: RunSummary) -> dict[str, Any]:
    """Return the summary as one object to print."""
    return {
        "source": summary.source,
        "run": summary.run_id,
        "seen": len(summary.documents),
        "added": summary.count(Outcome.ADDED),
        "updated": summary.count(Outcome.UPDATED),
        "unchanged": summary.count(Outcome.UNCHANGED),
        "removed": summary.removed,
        "to_remove": summary.to_remove,
        "failed": len(summary.failed),
        "documents": [_document_record(report) for report in summary.documents],
        "notes": list(summary.notes),
        "failure": summary.failure,
        "seconds": round(summary.seconds, 3),
    }


def _document_record(report: DocumentReport) -> dict[str, Any]:
    outcome = report.outcome
    return {
        "path": report.path,
        "external_id": outcome.external_id,
        "outcome": report.counted_as.value,
        "status": outcome.status,
        "reason": outcome.reason,
        "chunks": outcome.chunk_count,
        "warnings": list(outcome.warnings),
    }


def _one_line(text: str) -> str:
    return " ".join(text.split())
