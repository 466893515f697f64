"""What somebody should look at."""

from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from knowledge.admin.run_page import BADGES as RUN_BADGES
from knowledge.models import IngestionRun, RunStatus, Source, SourceHealth

SHOWN_ROWS = 6


def sources_in_trouble() -> dict[str, Any]:
    """Return the sources whose last run failed, wholly or in part."""
    troubled = Source.objects.filter(health__in=[SourceHealth.FAILING, SourceHealth.DEGRADED])
    return _some(troubled.order_by("-health", "name", "id"))


def sources_to_review() -> dict[str, Any]:
    """Return the sources whose review-by date has passed."""
    overdue = Source.objects.overdue(today=timezone.localdate())
    return _some(overdue.select_related("owner").order_by("review_by", "id"))


def latest_runs() -> list[dict[str, Any]]:
    """Return the newest runs with their badges."""
    runs = IngestionRun.objects.select_related("source").order_by("-created_at", "-id")
    return [{"run": run, "badge": RUN_BADGES[RunStatus(run.status)]} for run in runs[:SHOWN_ROWS]]


def _some(rows: QuerySet[Any]) -> dict[str, Any]:
    found = list(rows[: SHOWN_ROWS + 1])
    return {"rows": found[:SHOWN_ROWS], "has_more": len(found) > SHOWN_ROWS}
