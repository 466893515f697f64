"""The first page of the admin: what there is, and what asks for attention."""

from typing import Any

from django.db.models import Count
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from knowledge.admin.document_page import BADGES as DOCUMENT_BADGES
from knowledge.admin.run_page import BADGES as RUN_BADGES
from knowledge.models import Document, DocumentStatus, IngestionRun, RunStatus, Source, SourceHealth

SHOWN_ROWS = 6


def dashboard(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Add what the user may see to the context of the first page."""
    user: Any = request.user
    if user.has_perm("knowledge.view_document"):
        context["document_states"] = _document_states()
    if user.has_perm("knowledge.view_source"):
        context["sources_in_trouble"] = _sources_in_trouble()
        context["sources_to_review"] = _sources_to_review()
    if user.has_perm("knowledge.view_ingestionrun"):
        context["latest_runs"] = _latest_runs()
    return context


def _document_states() -> list[dict[str, Any]]:
    base = reverse("admin:knowledge_document_changelist")
    rows = Document.objects.order_by().values("status").annotate(count=Count("*"))
    counts = {row["status"]: row["count"] for row in rows}
    return [
        {
            "label": status.label,
            "badge": DOCUMENT_BADGES[status],
            "count": counts.get(status.value, 0),
            "link": f"{base}?status__exact={status.value}",
        }
        for status in DocumentStatus
    ]


def _sources_in_trouble() -> list[Source]:
    troubled = Source.objects.filter(health__in=[SourceHealth.FAILING, SourceHealth.DEGRADED])
    return list(troubled.order_by("-health", "name", "id")[:SHOWN_ROWS])


def _sources_to_review() -> list[Source]:
    overdue = Source.objects.filter(review_by__lt=timezone.localdate())
    return list(overdue.select_related("owner").order_by("review_by", "id")[:SHOWN_ROWS])


def _latest_runs() -> list[dict[str, Any]]:
    runs = IngestionRun.objects.select_related("source").order_by("-created_at", "-id")
    return [{"run": run, "badge": RUN_BADGES[RunStatus(run.status)]} for run in runs[:SHOWN_ROWS]]
