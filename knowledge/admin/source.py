"""Sources: what to believe, and how far."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth import get_user_model
from django.db.models import Count, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import (
    BooleanRadioFilter,
    ChoicesDropdownFilter,
    RelatedDropdownFilter,
)
from unfold.decorators import action, display

from knowledge.admin.curation import (
    CurationAdmin,
    ago,
    changes_of,
    confirm,
    leave,
    run_each,
    shown_if,
)
from knowledge.admin.source_form import SourceForm
from knowledge.models import Document, DocumentStatus, Source, SourceHealth
from knowledge.services import create_source, update_source
from knowledge.tasks import enqueue_reindex_source

HEALTH = {
    SourceHealth.UNKNOWN: "Not run yet",
    SourceHealth.OK: "Healthy",
    SourceHealth.DEGRADED: "Needs a look",
    SourceHealth.FAILING: "Failing",
}
TROUBLED = Q(status__in=[DocumentStatus.NEEDS_ATTENTION, DocumentStatus.FAILED])


def _count_of_documents(condition: Q) -> Coalesce:
    counted = (
        Document.objects.filter(condition, source=OuterRef("pk"))
        .order_by()
        .values("source")
        .annotate(rows=Count("*"))
        .values("rows")
    )
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


@admin.register(Source)
class SourceAdmin(CurationAdmin):
    """Sources with trust and authority editable in the list."""

    form = SourceForm
    change_form_after_template = "admin/what_if/button.html"
    list_display = (
        "name",
        "source_type",
        "trust",
        "authority_override",
        "enabled",
        "health_state",
        "documents_link",
        "trouble_link",
        "last_run",
    )
    list_editable = ("trust", "authority_override")
    list_select_related = ("source_type",)
    list_filter = (
        ("health", ChoicesDropdownFilter),
        ("source_type", RelatedDropdownFilter),
        ("enabled", BooleanRadioFilter),
    )
    search_fields = ("name", "location")
    actions = ("reindex", "switch_off", "switch_on")
    actions_detail = ("reindex_this",)
    conditional_fields = {"mapping": shown_if("connector", "export")}
    fieldsets = (
        (None, {"fields": ("name", "source_type", "connector", "location", "mapping")}),
        (
            "Trust and authority",
            {
                "fields": ("trust", "authority_override"),
                "description": (
                    "<strong>Trust</strong> is how far you believe what this source says: 1 is a"
                    " signed contract, 0.7 an ordinary report, 0.2 a rumour. Two passages that"
                    " answer equally well are ordered by it.<br><strong>Authority</strong> is the"
                    " standing of this kind of source, taken from its type unless you give it"
                    " one of its own. A change counts from the next question on; answers in the"
                    " cache that cite the source are withdrawn."
                ),
            },
        ),
        (
            "Who may read it",
            {"fields": ("access_tags", "enabled"), "classes": ("wide",)},
        ),
        ("Upkeep", {"fields": ("owner", "review_by", "language")}),
        (
            "State",
            {
                "fields": (
                    "health",
                    "health_reason",
                    "last_run",
                    "documents_link",
                    "trouble_link",
                )
            },
        ),
    )
    readonly_fields = (
        "health",
        "health_reason",
        "last_run",
        "documents_link",
        "trouble_link",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return (
            super()
            .get_queryset(request)
            .annotate(
                document_count=_count_of_documents(Q()),
                troubled_count=_count_of_documents(TROUBLED),
            )
        )

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        fieldsets = super().get_fieldsets(request, obj)
        return fieldsets if obj else fieldsets[:-1]

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "owner":
            kwargs["queryset"] = get_user_model().objects.filter(is_staff=True)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: Source, form: Any, change: bool) -> None:  # noqa: FBT001 # Django's
        if change:
            update_source(source=Source.objects.get(pk=obj.pk), **changes_of(form))
        else:
            values = dict(form.cleaned_data)
            source_type = values.pop("source_type")
            obj.pk = create_source(type_slug=source_type.slug, **values).pk

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Deny: a source takes its documents with it, so a program or command does that."""
        return False

    def has_reindex_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether the user may start runs."""
        return bool(request.user.has_perm("knowledge.add_ingestionrun"))

    @admin.action(description="Reindex", permissions=["reindex"])
    def reindex(self, request: HttpRequest, queryset: QuerySet[Source]) -> None:
        """Start a run for each chosen source."""
        self._start_runs(request, queryset)

    @action(
        description="Reindex",
        url_path="reindex",
        permissions=["reindex"],
        icon="sync",
        dialog={
            "title": "Reindex this source?",
            "description": (
                "The passages of every document are made anew from its stored text. What is indexed"
                " now keeps answering until the new version of each document is ready."
            ),
            "form_submit_text": "Reindex",
        },
    )
    def reindex_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        """Start a run for the source of the page."""
        self._start_runs(request, self.get_queryset(request).filter(pk=object_id))
        return leave(request, reverse("admin:knowledge_source_change", args=[object_id]))

    @admin.action(description="Switch off…", permissions=["change"])
    def switch_off(self, request: HttpRequest, queryset: QuerySet[Source]) -> HttpResponse | None:
        """Take the chosen sources out of search, after a question."""
        question = confirm(
            self,
            request,
            queryset,
            title="Switch off these sources?",
            consequence=(
                "Their documents are no longer searched and answers in the cache that cite them"
                " are withdrawn. Nothing is deleted: switching on brings everything back at once."
            ),
            button="Switch off",
        )
        if question is None:
            self._switch(request, queryset, enabled=False)
        return question

    @admin.action(description="Switch on", permissions=["change"])
    def switch_on(self, request: HttpRequest, queryset: QuerySet[Source]) -> None:
        """Bring the chosen sources back into search."""
        self._switch(request, queryset, enabled=True)

    def _switch(self, request: HttpRequest, queryset: QuerySet[Source], *, enabled: bool) -> None:
        def change(source: Source) -> None:
            update_source(source=source, enabled=enabled)
            self.log_change(request, source, "Switched on." if enabled else "Switched off.")

        state = "on" if enabled else "off"
        run_each(request, queryset, change, done=f"{{count}} sources switched {state}.")

    def _start_runs(self, request: HttpRequest, sources: QuerySet[Source]) -> None:
        runs: list[tuple[str, str]] = []

        def start(source: Source) -> None:
            run_id = enqueue_reindex_source(source_id=source.pk, user_id=request.user.pk)
            runs.append(
                (reverse("admin:knowledge_ingestionrun_change", args=[run_id]), source.name)
            )
            self.log_change(request, source, "Reindexing started.")

        run_each(request, sources, start, done="")
        if runs:
            links = format_html_join(", ", '<a href="{}" class="underline">{}</a>', runs)
            messages.success(request, format_html("Reindexing started: {}.", links))

    @display(
        description="Health",
        ordering="health",
        label={
            SourceHealth.UNKNOWN: "info",
            SourceHealth.OK: "success",
            SourceHealth.DEGRADED: "warning",
            SourceHealth.FAILING: "danger",
        },
    )
    def health_state(self, source: Source) -> tuple[str, str]:
        """Return the health as a badge."""
        return source.health, HEALTH[SourceHealth(source.health)]

    @display(description="Documents")
    def documents_link(self, source: Any) -> SafeString:
        """Return how many documents there are, as a link to them."""
        return _documents(source, source.document_count, css="text-link")

    @display(description="To look at", empty_value="none")
    def trouble_link(self, source: Any) -> SafeString | None:
        """Return how many documents failed or need attention, as a link to them."""
        if not source.troubled_count:
            return None
        return _documents(source, source.troubled_count, "&trouble=yes", css="crmind-trouble")

    @display(description="Last run", ordering="last_run_at", empty_value="never")
    def last_run(self, source: Source) -> str | None:
        """Return how long ago the last run ended."""
        return ago(source.last_run_at)


def _documents(source: Any, count: int, condition: str = "", *, css: str) -> SafeString:
    base = reverse("admin:knowledge_document_changelist")
    url = f"{base}?source__id__exact={source.pk}{condition}"
    return format_html('<a href="{}" class="{}">{}</a>', url, css, count)
