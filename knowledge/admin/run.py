"""Runs of ingestion: how far they are and what they met."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import action, display

from crmind.exceptions import CRMindError
from knowledge.admin.curation import ReadOnlyAdmin, ago, leave
from knowledge.admin.readers import reads_everything
from knowledge.admin.related import RelatedFilter
from knowledge.admin.run_page import BADGES, describe_run, describe_seconds
from knowledge.models import IngestionRun, RunStatus
from knowledge.services.removal import confirm_removal
from knowledge.services.runs import cancel_run
from knowledge.tasks import rerun, retry_run

MOST_DIGITS = 18
NEVER_BEGAN = "Cancelled before it began: nothing was changed."
ASKED_TO_STOP = (
    "Asked to stop: it ends after the documents it is at. Large ones may take a minute or two."
)


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
        ("source", RelatedFilter),
    )
    ordering = ("-created_at", "-id")
    actions_detail = ("cancel_this", "retry_this", "run_again", "take_out_this")
    change_form_before_template = "admin/knowledge/ingestionrun/progress.html"
    fieldsets = ((None, {"fields": ("source", "trigger", "requested_by", "created_at")}),)

    def has_start_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether the user may start runs, and so stop them."""
        return bool(request.user.has_perm("knowledge.add_ingestionrun"))

    def has_retire_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether the user may take documents out."""
        return bool(request.user.has_perm("knowledge.change_document"))

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> list[Any]:
        """Return the actions that the state of the run allows."""
        offered = super().get_actions_detail(request, object_id)
        run = IngestionRun.objects.filter(pk=object_id).first()
        fit = offered_on(run) if run else ()
        return [each for each in offered if each.action_name.endswith(fit)]

    @action(
        description="Cancel",
        url_path="cancel",
        permissions=["start"],
        icon="stop_circle",
        dialog={
            "title": "Cancel this run?",
            "description": (
                "It stops after the documents it is at. What it stored until then stays; the rest"
                " is as it was before."
            ),
            "form_submit_text": "Cancel the run",
        },
    )
    def cancel_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        """Ask the run of the page to stop."""
        for run in IngestionRun.objects.filter(pk=object_id):
            try:
                cancelled = cancel_run(run=run, now=timezone.now())
            except CRMindError as error:
                messages.error(request, error.message)
                continue
            self.log_change(request, run, "Cancelled.")
            messages.success(request, NEVER_BEGAN if cancelled.is_over else ASKED_TO_STOP)
        return leave(request, _page(object_id))

    @action(
        description="Try the failed ones again",
        url_path="retry",
        permissions=["start"],
        icon="refresh",
        dialog={
            "title": "Try the failed documents again?",
            "description": "A new run takes them up, and only them.",
            "form_submit_text": "Try again",
        },
    )
    def retry_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        """Start a run over what failed in the run of the page."""
        get_object_or_404(IngestionRun, pk=object_id)
        try:
            (first, *_) = retry_run(int(object_id), user_id=request.user.pk)
        except CRMindError as error:
            messages.error(request, error.message)
            return leave(request, _page(object_id))
        messages.success(request, "Started: below is how far it is.")
        return leave(request, _page(first))

    @action(
        description="Run it again",
        url_path="again",
        permissions=["start"],
        icon="replay",
        dialog={
            "title": "Run it again?",
            "description": (
                "A new run does what this one was to do. What is stored already is not stored"
                " twice."
            ),
            "form_submit_text": "Run it again",
        },
    )
    def run_again(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        """Start a run that does what the one of the page could not."""
        get_object_or_404(IngestionRun, pk=object_id)
        try:
            again = rerun(int(object_id), user_id=request.user.pk)
        except CRMindError as error:
            messages.error(request, error.message)
            return leave(request, _page(object_id))
        messages.success(request, "Started: below is how far it is.")
        return leave(request, _page(again))

    @action(
        description="Take them out",
        url_path="take-out",
        permissions=["retire"],
        icon="archive",
        dialog={
            "title": "Take out what its source no longer holds?",
            "description": (
                "So many were gone at once that the run asked first. They are retired: no longer"
                " searched, and answers in the cache that cite them are withdrawn. “Restore” on"
                " the documents brings them back."
            ),
            "form_submit_text": "Take them out",
        },
    )
    def take_out_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        """Confirm the removal that the run of the page held back."""
        for run in IngestionRun.objects.filter(pk=object_id):
            try:
                count = confirm_removal(run=run)
            except CRMindError as error:
                messages.error(request, error.message)
            else:
                self.log_change(request, run, "Confirmed that documents are taken out.")
                messages.success(request, f"Taken out: {count} documents.")
        return leave(request, _page(object_id))

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        if kwargs.get("obj"):
            may_read = reads_everything(request.user)
            before = request.GET.get("before", "")
            context["run"] = describe_run(
                kwargs["obj"],
                now=timezone.now(),
                with_log=may_read,
                log_before=int(before) if may_be_line(before) else None,
            )
        response = super().render_change_form(request, context, *args, **kwargs)
        if request.headers.get("HX-Request") and not context.get("run", {}).get("is_live"):
            # The run ended while somebody looked: other actions are offered now.
            response["HX-Refresh"] = "true"
        return response

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


def offered_on(run: IngestionRun) -> tuple[str, ...]:
    """Return the endings of the actions that a run allows."""
    if run.status in {RunStatus.WAITING, RunStatus.RUNNING}:
        return ("cancel_this",)
    if run.status == RunStatus.UNCONFIRMED:
        return ("take_out_this",)
    can_begin_anew = run.status in {RunStatus.FAILED, RunStatus.CANCELLED} and run.kind
    offered = {"retry_this": run.failed, "run_again": can_begin_anew}
    return tuple(name for name, is_fit in offered.items() if is_fit)


def may_be_line(written: str) -> bool:
    """Return whether what stands in an address can be the number of a line of a log."""
    return written.isdecimal() and len(written) <= MOST_DIGITS


def _page(run_id: Any) -> str:
    return reverse("admin:knowledge_ingestionrun_change", args=[run_id])
