"""What the page of a run shows of its progress."""

from datetime import datetime
from typing import Any, Protocol

from django.urls import reverse
from django.utils.text import Truncator

from knowledge.models import Document, IngestionRun, RunStatus

SHOWN_LOG_ENTRIES = 200
SHOWN_CLAIMS = 5
SILENT_AFTER_SECONDS = 120

BADGES = {
    RunStatus.WAITING: "info",
    RunStatus.RUNNING: "info",
    RunStatus.DONE: "success",
    RunStatus.FAILED: "danger",
    RunStatus.CANCELLED: "default",
    RunStatus.UNCONFIRMED: "warning",
}
LEVELS = {"note": "info", "warning": "warning", "error": "danger"}


def describe_run(
    run: IngestionRun, *, now: datetime, with_log: bool, log_before: int | None = None
) -> dict[str, Any]:
    """Return progress, counts and the log of a run, newest lines first.

    `with_log` is False for those who may not read every document: the log names documents. With
    `log_before` only lines older than that one are shown.
    """
    log = _log(run, before=log_before) if with_log else []
    is_live = run.status in {RunStatus.WAITING, RunStatus.RUNNING}
    return {
        "status": run.get_status_display(),
        "badge": BADGES[RunStatus(run.status)],
        "reason": run.status_reason,
        "is_live": is_live,
        "seconds": 2 if run.status == RunStatus.RUNNING else 5,
        "is_stopping": is_live and run.is_cancel_requested,
        "due": run.due_at if run.status == RunStatus.WAITING else None,
        "to_remove": run.to_remove,
        "at": _at(run) if is_live and with_log else [],
        "retry_of": run.retry_of_id,
        "retries": list(run.retries.order_by("pk").values_list("pk", flat=True)[:10]),
        "percent": percent_done(run),
        "seen": run.seen,
        "expected": run.expected,
        "counts": _counts(run),
        "remaining": time_remaining(run, now=now) if is_live else "",
        "started": run.started_at,
        "finished": run.finished_at,
        "took": _took(run),
        "heartbeat": _heartbeat(run, now=now) if is_live else "",
        "is_silent": is_live and is_silent(run, now=now),
        "with_log": with_log,
        "log": log[:SHOWN_LOG_ENTRIES],
        "older_log": log[SHOWN_LOG_ENTRIES - 1]["id"] if len(log) > SHOWN_LOG_ENTRIES else None,
        "is_newest_log": log_before is None,
        "trouble": _trouble(run),
    }


class Progressing(Protocol):
    """What tells of the progress of a run."""

    @property
    def status(self) -> str: ...

    @property
    def seen(self) -> int: ...

    @property
    def expected(self) -> int | None: ...

    @property
    def created_at(self) -> datetime: ...

    @property
    def started_at(self) -> datetime | None: ...

    @property
    def heartbeat_at(self) -> datetime | None: ...


def describe_seconds(seconds: float) -> str:
    """Return a length of time with its unit."""
    if seconds < 120:  # noqa: PLR2004 # two minutes
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min"


def _at(run: IngestionRun) -> list[str]:
    """Return the documents a worker is at now."""
    claimed = run.documents.filter(lease_until__isnull=False).order_by("external_id")
    names = claimed.values_list("external_id", flat=True)[:SHOWN_CLAIMS]
    return [Truncator(name).chars(200) for name in names]


def percent_done(run: Progressing) -> int | None:
    """Return how much of a run is done, None where nobody knows how much there is."""
    if run.status == RunStatus.DONE:
        return 100
    if not run.expected:
        return None
    return min(100, round(100 * run.seen / run.expected))


def _counts(run: IngestionRun) -> list[dict[str, Any]]:
    return [
        {"label": "Added", "count": run.added},
        {"label": "Updated", "count": run.updated},
        {"label": "Unchanged", "count": run.unchanged},
        {"label": "Removed", "count": run.removed},
        {"label": "Failed", "count": run.failed, "is_trouble": run.failed > 0},
    ]


def time_remaining(run: Progressing, *, now: datetime) -> str:
    """Return how long a run still takes if it goes on as it did."""
    if not (run.started_at and run.expected and run.seen):
        return ""
    each = (now - run.started_at).total_seconds() / run.seen
    return f"about {describe_seconds(each * max(0, run.expected - run.seen))} to go"


def _took(run: IngestionRun) -> str:
    if not (run.started_at and run.finished_at):
        return ""
    return describe_seconds((run.finished_at - run.started_at).total_seconds())


def _heartbeat(run: IngestionRun, *, now: datetime) -> str:
    if run.heartbeat_at is None:
        return ""
    seconds = (now - run.heartbeat_at).total_seconds()
    return f"{describe_seconds(max(0.0, seconds))} ago"


def is_silent(run: Progressing, *, now: datetime) -> bool:
    """Tell whether nothing was heard of a run for a while."""
    last = run.heartbeat_at or run.created_at
    return (now - last).total_seconds() > SILENT_AFTER_SECONDS


def _log(run: IngestionRun, *, before: int | None) -> list[dict[str, Any]]:
    """Return the lines of a page and the one after it, each with the document it is about."""
    entries = run.log.order_by("-id").values("id", "level", "external_id", "message", "created_at")
    if before is not None:
        entries = entries.filter(id__lt=before)
    lines = list(entries[: SHOWN_LOG_ENTRIES + 1])
    documents = _documents(run, {line["external_id"] for line in lines} - {""})
    return [
        {
            **line,
            "badge": LEVELS[line["level"]],
            "document": documents.get(line["external_id"]),
            "external_id": Truncator(line["external_id"]).chars(200),
            "message": Truncator(line["message"]).chars(1000),
        }
        for line in lines
    ]


def _documents(run: IngestionRun, names: set[str]) -> dict[str, int]:
    """Return the keys of the documents of these names, as far as a run is of one source."""
    if not run.source_id:
        return {}
    named = Document.objects.filter(source=run.source_id, external_id__in=names)
    return dict(named.values_list("external_id", "pk"))


def _trouble(run: IngestionRun) -> str:
    """Return the address of the documents of the source that somebody has to look at."""
    if not (run.failed and run.source_id):
        return ""
    base = reverse("admin:knowledge_document_changelist")
    return f"{base}?source__id__exact={run.source_id}&trouble=yes"
