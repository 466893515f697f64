"""Runs of ingestion: how far they are and what they met."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from unfold.contrib.filters.admin import AutocompleteSelectFilter, ChoicesDropdownFilter
from unfold.decorators import display

from knowledge.admin.curation import ReadOnlyAdmin, ago
from knowledge.admin.readers import reads_everything
from knowledge.admin.run_page import BADGES, describe_run, describe_seconds
from knowledge.models import IngestionRun


@admin.register(IngestionRun)
class IngestionRunAdmin(ReadOnlyAdmin):
    """Runs, newest first; the page of a running one refreshes itself."""

    list_display = (
        "name",
        "state",
        "progress",
        "added",
        "updated",
        "unchanged",
        "removed",
        "failed",
        "began",
        "duration",
    )
    list_select_related = ("source",)
    list_filter = (
        ("status", ChoicesDropdownFilter),
        ("trigger", ChoicesDropdownFilter),
        ("source", AutocompleteSelectFilter),
    )
    ordering = ("-created_at", "-id")
    change_form_before_template = "admin/knowledge/ingestionrun/progress.html"
    fieldsets = ((None, {"fields": ("source", "trigger", "requested_by", "created_at")}),)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        if kwargs.get("obj"):
            may_read = reads_everything(request.user)
            context["run"] = describe_run(kwargs["obj"], now=timezone.now(), with_log=may_read)
        return super().render_change_form(request, context, *args, **kwargs)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).select_related("source", "requested_by")

    @display(description="Run", header=True)
    def name(self, run: IngestionRun) -> tuple[str, str]:
        """Return number and source."""
        return f"Run {run.pk}", run.source.name if run.source else "chosen documents"

    @display(description="State", ordering="status", label=BADGES)
    def state(self, run: IngestionRun) -> tuple[str, str]:
        """Return the status as a badge."""
        return run.status, run.get_status_display()

    @display(description="Looked at")
    def progress(self, run: IngestionRun) -> str:
        """Return how many of how many documents."""
        return f"{run.seen} of {run.expected}" if run.expected is not None else str(run.seen)

    @display(description="Started", ordering="started_at", empty_value="not yet")
    def began(self, run: IngestionRun) -> str | None:
        """Return how long ago it started."""
        return ago(run.started_at)

    @display(description="Took")
    def duration(self, run: IngestionRun) -> str:
        """Return how long it ran."""
        if not (run.started_at and run.finished_at):
            return ""
        return describe_seconds((run.finished_at - run.started_at).total_seconds())
