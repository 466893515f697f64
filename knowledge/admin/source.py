"""Sources: what to believe, and how far."""

from typing import Any

from django.contrib import admin
from django.contrib.auth import get_user_model
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import (
    BooleanRadioFilter,
    ChoicesDropdownFilter,
    RelatedDropdownFilter,
)
from unfold.decorators import display

from knowledge.admin.curation import (
    CurationList,
    ago,
    changes_of,
    shown_if,
)
from knowledge.admin.source_checks import SourceChecks
from knowledge.admin.source_figures import link_to_documents, with_figures
from knowledge.admin.source_form import (
    FIELDSETS,
    READ_CONNECTORS,
    STATE_FIELDS,
    ReviewFilter,
    SourceForm,
)
from knowledge.admin.standing import describe_authority, describe_trust
from knowledge.models import Source, SourceHealth
from knowledge.services import create_source, update_source

HEALTH = {
    SourceHealth.UNKNOWN: "Not run yet",
    SourceHealth.OK: "Healthy",
    SourceHealth.DEGRADED: "Needs a look",
    SourceHealth.FAILING: "Failing",
}


class SourceList(CurationList):
    """A list whose rows know their figures, read for the page at once."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        with_figures(self.result_list, request.user)


@admin.register(Source)
class SourceAdmin(SourceChecks):
    """Sources with trust and authority editable in the list."""

    form = SourceForm
    change_form_after_template = "admin/what_if/button.html"
    list_before_template = "admin/what_if/list_before.html"
    list_after_template = "admin/what_if/list_after.html"
    list_display = (
        "named",
        "trust",
        "authority_override",
        "standing",
        "state",
        "documents_link",
        "newest",
        "last_run",
    )
    list_editable = ("trust", "authority_override")
    list_select_related = ("source_type",)
    list_filter = (
        ("health", ChoicesDropdownFilter),
        ("source_type", RelatedDropdownFilter),
        ("enabled", BooleanRadioFilter),
        ("is_paused", BooleanRadioFilter),
        ReviewFilter,
    )
    search_fields = ("name", "location")
    conditional_fields = {
        "mapping": shown_if("connector", "export"),
        "refresh_schedule": READ_CONNECTORS,
    }
    fieldsets = FIELDSETS
    readonly_fields = ("standing", *STATE_FIELDS)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[SourceList]:
        return SourceList

    def get_object(self, request: HttpRequest, object_id: str, from_field: Any = None) -> Any:
        source = super().get_object(request, object_id, from_field)
        return source and with_figures([source], request.user)[0]

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

    @display(description="Source", ordering="name", header=True)
    def named(self, source: Source) -> tuple[str, str]:
        """Return name and type."""
        return source.name, source.source_type.label

    @display(description="In words")
    def standing(self, source: Source) -> str:
        """Return what trust and authority mean."""
        own = "of its own" if source.authority_override is not None else "of its type"
        return (
            f"{describe_trust(source.trust).capitalize()}, {describe_authority(source.authority)}"
            f" ({source.authority:g} {own})"
        )

    @display(
        description="State",
        ordering="health",
        label={
            "retired": "danger",
            "paused": "warning",
            SourceHealth.UNKNOWN: "info",
            SourceHealth.OK: "success",
            SourceHealth.DEGRADED: "warning",
            SourceHealth.FAILING: "danger",
        },
    )
    def state(self, source: Source) -> tuple[str, str]:
        """Return whether it is searched and brought up to date, else its health, as a badge."""
        if not source.enabled:
            return "retired", "Retired"
        if source.is_paused:
            return "paused", "Paused"
        return source.health, HEALTH[SourceHealth(source.health)]

    @display(description="State")
    def state_in_words(self, source: Source) -> str:
        """Return that as words."""
        return self.state(source)[1]

    @display(description="Documents")
    def documents_link(self, source: Any) -> SafeString:
        """Return how many documents there are, and to look at, as links to them."""
        figures = source.figures
        count = link_to_documents(source, figures.documents, css="text-link")
        if not figures.troubled:
            return count
        return format_html(
            "{}, {} to look at",
            count,
            link_to_documents(source, figures.troubled, "&trouble=yes", css="crmind-trouble"),
        )

    @display(description="Passages")
    def passages(self, source: Any) -> str:
        """Return how many passages its documents have."""
        return f"{source.figures.passages:,}"

    @display(description="Newest", empty_value="-")
    def newest(self, source: Any) -> str | None:
        """Return how old its newest document is."""
        return ago(source.figures.newest)

    @display(description="Age of the stock", empty_value="-")
    def stock_age(self, source: Any) -> str | None:
        """Return how old its documents are."""
        average = source.figures.average_age
        if average is None:
            return None
        return f"newest {ago(source.figures.newest)}; {average.days:,} days on average"

    @display(description="Last run", ordering="last_run_at", empty_value="never")
    def last_run(self, source: Source) -> str | None:
        """Return how long ago the last run ended."""
        return ago(source.last_run_at)

    @display(description="Runs")
    def runs(self, source: Source) -> SafeString:
        """Return a link to its runs."""
        base = reverse("admin:knowledge_ingestionrun_changelist")
        url = f"{base}?source__id__exact={source.pk}"
        return format_html('<a href="{}" class="text-link">What its runs met</a>', url)
