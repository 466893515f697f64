"""Cached answers: what is served again, to whom, and until when."""

from datetime import datetime
from typing import Any

from django.contrib import admin
from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.text import Truncator
from django.utils.timesince import timesince, timeuntil
from unfold.contrib.filters.admin import DropdownFilter
from unfold.decorators import action, display

from cachemgr.admin.forgetting import forget_all_that_cite
from cachemgr.admin.response_page import describe_response
from cachemgr.models import CachedCitation, CachedResponse
from cachemgr.services import forget
from knowledge.admin.curation import ReadOnlyAdmin, ago, confirm, leave, run_each
from knowledge.admin.paging import BoundedPaginator
from knowledge.admin.readers import reads_everything
from knowledge.models import EVERYONE

FORGOTTEN_MEANS = (
    "The answer is not served again: the next time somebody asks, the assistant looks up the"
    " evidence and answers anew. Its text is deleted."
)


class StateFilter(DropdownFilter):
    """By whether an answer is still served."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return the three states."""
        return [("served", "Served"), ("expired", "Expired"), ("withdrawn", "Withdrawn")]

    def queryset(self, request: HttpRequest, queryset: Any) -> QuerySet[Any]:
        """Limit to the chosen state."""
        now = timezone.now()
        match self.value():
            case "served":
                return queryset.servable(now=now)
            case "expired":
                return queryset.filter(invalidated_at=None, expires_at__lte=now)
            case "withdrawn":
                return queryset.exclude(invalidated_at=None)
        return queryset


class DocumentFilter(admin.SimpleListFilter):
    """Answers that cite one document; reached by a link from its page, not from the list."""

    title = "cited document"
    parameter_name = "document"
    template = "admin/no_filter.html"
    cites = "citations__document_id"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return what is asked for, so that the filter counts as one."""
        value = request.GET.get(self.parameter_name, "")
        return [(value, value)] if value.isdecimal() else []

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Limit to answers that cite it."""
        value = self.value()
        if not value:
            return queryset
        citing = CachedResponse.objects.filter(**{self.cites: int(value)})
        return queryset.filter(pk__in=citing.order_by().values("pk"))


class SourceFilter(DocumentFilter):
    """Answers that cite one source; reached by a link from its page, not from the list."""

    title = "cited source"
    parameter_name = "source"
    cites = "citations__source_id"


def _citation_count() -> Coalesce:
    counted = (
        CachedCitation.objects.filter(response=OuterRef("pk"))
        .order_by()
        .values("response")
        .annotate(rows=Count("*"))
        .values("rows")
    )
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


@admin.register(CachedResponse)
class CachedResponseAdmin(ReadOnlyAdmin):
    """Answers to read and to forget."""

    list_display = ("asked", "state", "readers", "cited", "hits", "age", "expiry")
    list_filter = (StateFilter, DocumentFilter, SourceFilter)
    search_fields = ("question",)
    search_help_text = "Words of the question"
    ordering = ("-created_at", "-id")
    paginator = BoundedPaginator
    actions = ("forget_chosen",)
    actions_list = ("forget_citing",)
    actions_detail = ("forget_this",)
    change_form_before_template = "admin/cachemgr/cachedresponse/answer.html"
    fieldsets = (
        (
            "Use",
            {
                "fields": (
                    "state_in_words",
                    "withdrawn",
                    "hits",
                    "last_served",
                    "age",
                    "expiry",
                    "model_name",
                    "answer_tokens",
                )
            },
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        responses = super().get_queryset(request).defer("vector", "answer")
        responses = responses.annotate(citation_count=_citation_count()).with_recent_hits()
        if reads_everything(request.user):
            return responses
        return responses.within(frozenset({EVERYONE}))

    def has_forget_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether the user may withdraw answers."""
        return bool(request.user.has_perm("cachemgr.delete_cachedresponse"))

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        if kwargs.get("obj"):
            context["response"] = describe_response(kwargs["obj"])
        return super().render_change_form(request, context, *args, **kwargs)

    @admin.action(description="Forget…", permissions=["forget"])
    def forget_chosen(
        self, request: HttpRequest, queryset: QuerySet[CachedResponse]
    ) -> HttpResponse | None:
        """Withdraw the chosen answers, after a question."""
        question = confirm(
            self,
            request,
            queryset,
            title="Forget these answers?",
            consequence=FORGOTTEN_MEANS,
            button="Forget",
        )
        if question is None:
            run_each(request, queryset, self._forgetting(request), done="Forgotten: {count}.")
        return question

    @action(
        description="Forget all that cite…",
        url_path="forget-citing",
        permissions=["forget"],
        icon="delete_sweep",
    )
    def forget_citing(self, request: HttpRequest) -> HttpResponse:
        """Withdraw every answer that stands on one document or source."""
        return forget_all_that_cite(request)

    @action(
        description="Forget",
        url_path="forget",
        permissions=["forget"],
        icon="delete_history",
        dialog={
            "title": "Forget this answer?",
            "description": FORGOTTEN_MEANS,
            "form_submit_text": "Forget",
        },
    )
    def forget_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        """Withdraw the answer of the page."""
        chosen = self.get_queryset(request).filter(pk=object_id)
        run_each(request, chosen, self._forgetting(request), done="The answer is forgotten.")
        return leave(request, reverse("admin:cachemgr_cachedresponse_change", args=[object_id]))

    def _forgetting(self, request: HttpRequest) -> Any:
        def change(response: CachedResponse) -> None:
            forget(response_id=response.pk, now=timezone.now())
            self.log_change(request, response, "Forgotten.")

        return change

    @display(description="Question", ordering="question")
    def asked(self, response: CachedResponse) -> str:
        """Return the beginning of the question."""
        return Truncator(response.question).chars(120)

    @display(
        description="State",
        label={"served": "success", "expired": "default", "withdrawn": "warning"},
    )
    def state(self, response: CachedResponse) -> tuple[str, str]:
        """Return whether it is served, and why not."""
        return state_of(response, now=timezone.now())

    @display(description="State")
    def state_in_words(self, response: CachedResponse) -> str:
        """Return whether it is served, and why not."""
        return state_of(response, now=timezone.now())[1]

    @display(description="Withdrawn", empty_value="no")
    def withdrawn(self, response: CachedResponse) -> str | None:
        """Return when it was taken out of service."""
        moment = response.invalidated_at
        return date_format(timezone.localtime(moment), "j F Y, H:i") if moment else None

    @display(description="Readers")
    def readers(self, response: CachedResponse) -> str:
        """Return for whom it was made."""
        return ", ".join(response.scope.get("access_tags", []))

    @display(description="Cites")
    def cited(self, response: Any) -> int:
        """Return how many passages it cites."""
        return int(response.citation_count)

    @display(description="Served", ordering="hit_count")
    def hits(self, response: Any) -> str:
        """Return how often it was served."""
        count = response.hit_count + response.recent_hits
        return f"{count} times" if count != 1 else "once"

    @display(description="Last served")
    def last_served(self, response: Any) -> str:
        """Return how long ago it was served last."""
        last = response.recent_hit_at or response.last_hit_at
        return ago(last) or "never"

    @display(description="Age", ordering="created_at")
    def age(self, response: CachedResponse) -> str:
        """Return how old it is."""
        return timesince(response.created_at, depth=1)

    @display(description="Expires", ordering="expires_at")
    def expiry(self, response: CachedResponse) -> str:
        """Return how long it is served yet."""
        if response.invalidated_at is not None:
            return "withdrawn before"
        if response.expires_at <= timezone.now():
            return "expired"
        return f"in {timeuntil(response.expires_at, depth=1)}"


def state_of(response: CachedResponse, *, now: datetime) -> tuple[str, str]:
    """Return the state of an answer and its name."""
    if response.invalidated_at is not None:
        return "withdrawn", f"Withdrawn: {response.get_invalidation_reason_display().lower()}"
    if response.expires_at <= now:
        return "expired", "Expired"
    return "served", "Served"
