"""Knowledge gaps: what people ask and the documents do not answer."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.contrib.auth import get_user_model
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.text import Truncator
from unfold.contrib.filters.admin import DropdownFilter
from unfold.decorators import action, display

from crmind.exceptions import CRMindError
from knowledge.admin.curation import CurationAdmin, ago, changes_of, leave, run_each
from knowledge.admin.paging import BoundedPaginator
from knowledge.embedding.registry import get_embedder
from retrieval.admin.gap_page import describe_gap, log_warning
from retrieval.gaps.deciding import assign_gap, ignore_gap, mark_answered, reopen_gap
from retrieval.models import GapStatus, KnowledgeGap
from retrieval.tasks import enqueue_gaps

BADGES = {
    GapStatus.OPEN: "warning",
    GapStatus.ANSWERED: "success",
    GapStatus.IGNORED: "default",
}


class StatusFilter(DropdownFilter):
    """By what was decided; the open ones unless all are asked for."""

    title = "state"
    parameter_name = "status"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return the states, and all of them together."""
        return [*GapStatus.choices, ("all", "All")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Limit to the chosen state."""
        value = self.value() or GapStatus.OPEN
        return queryset if value == "all" else queryset.filter(status=value)


class OwnerFilter(DropdownFilter):
    """By who sees to them."""

    title = "owner"
    parameter_name = "owner"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return the two that matter."""
        return [("me", "Mine"), ("nobody", "Nobody's")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Limit to those of the user, or of nobody."""
        match self.value():
            case "me":
                return queryset.filter(owner=request.user.pk)
            case "nobody":
                return queryset.filter(owner=None)
        return queryset


@admin.register(KnowledgeGap)
class KnowledgeGapAdmin(CurationAdmin):
    """Gaps, the most asked first, to hand out, to close and to set aside."""

    list_display = ("asked", "state", "times", "trend", "last_asked", "owner")
    list_select_related = ("owner",)
    list_filter = (StatusFilter, OwnerFilter)
    search_fields = ("question", "note")
    search_help_text = "Words of the question"
    paginator = BoundedPaginator
    actions = ("ignore_chosen", "reopen_chosen")
    actions_list = ("collect",)
    actions_detail = ("answered_this", "ignore_this", "reopen_this")
    list_before_template = "admin/retrieval/knowledgegap/about.html"
    change_form_before_template = "admin/retrieval/knowledgegap/gap.html"
    fieldsets = (("Who sees to it", {"fields": ("owner", "note")}),)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return KnowledgeGap.objects.counted(now=timezone.now()).defer("vector")

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        return ("-asked_count", "-id")

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Deny: gaps are found, not written."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Deny: a gap goes with the searches it was found in."""
        return False

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> Any:
        context = {"log_warning": log_warning(), **(extra_context or {})}
        return super().changelist_view(request, context)

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "owner":
            kwargs["queryset"] = get_user_model().objects.filter(is_staff=True)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        gap = kwargs.get("obj")
        if gap:
            state, words = self.state(gap)
            context["gap"] = {
                **describe_gap(gap, now=timezone.now()),
                "badge": BADGES[GapStatus(state)],
                "state": words,
                "decided": gap.decided_at,
                "times": self.times(gap),
            }
        return super().render_change_form(request, context, *args, **kwargs)

    def save_model(self, request: HttpRequest, obj: KnowledgeGap, form: Any, change: bool) -> None:  # noqa: FBT001 # Django's
        assign_gap(gap=obj, **changes_of(form))

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> list[Any]:
        """Return the actions that the state of the gap allows."""
        offered = super().get_actions_detail(request, object_id)
        is_open = KnowledgeGap.objects.filter(pk=object_id, status=GapStatus.OPEN).exists()
        unfit = ("reopen_this",) if is_open else ("answered_this", "ignore_this")
        return [each for each in offered if not each.action_name.endswith(unfit)]

    @action(
        description="Look now",
        url_path="collect",
        permissions=["change"],
        icon="refresh",
        dialog={
            "title": "Look for gaps now?",
            "description": "The worker goes through the questions asked since it looked last.",
            "form_submit_text": "Look now",
        },
    )
    def collect(self, request: HttpRequest, form: Any) -> HttpResponse:
        """Ask the worker to look for gaps; otherwise it does so every night."""
        enqueue_gaps()
        messages.success(request, "The worker looks now. Load this page again in a minute.")
        return leave(request, reverse("admin:retrieval_knowledgegap_changelist"))

    @admin.action(description="Ignore", permissions=["change"])
    def ignore_chosen(self, request: HttpRequest, queryset: QuerySet[KnowledgeGap]) -> None:
        """Set the chosen gaps aside."""
        run_each(request, queryset, self._ignore(request), done="Ignored: {count}.")

    @admin.action(description="Open again", permissions=["change"])
    def reopen_chosen(self, request: HttpRequest, queryset: QuerySet[KnowledgeGap]) -> None:
        """Put the chosen gaps back on the list."""
        run_each(request, queryset, self._reopen(request), done="Open again: {count}.")

    @action(
        description="Mark answered",
        url_path="answered",
        permissions=["change"],
        icon="task_alt",
        dialog={
            "title": "Mark as answered?",
            "description": (
                "Its newest wordings are asked again now, for the same readers. It is closed if"
                " the evidence suffices, and opens again when it no longer does."
            ),
            "form_submit_text": "Ask again and close",
        },
    )
    def answered_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        """Close the gap of the page if its questions find evidence now."""
        gap = KnowledgeGap.objects.filter(pk=object_id).first()
        try:
            if gap is not None:
                mark_answered(gap=gap, embedder=get_embedder(), now=timezone.now())
                self.log_change(request, gap, "Marked as answered, after asking again.")
                messages.success(request, "Asked again: the evidence suffices. It is closed.")
        except CRMindError as error:
            messages.error(request, error.message)
        return self._back(request, object_id)

    @action(
        description="Ignore",
        url_path="ignore",
        permissions=["change"],
        icon="block",
        dialog={
            "title": "Ignore these questions?",
            "description": "They leave the list, also when they are asked again.",
            "form_submit_text": "Ignore",
        },
    )
    def ignore_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        """Set the gap of the page aside."""
        return self._decide_this(request, object_id, self._ignore(request), done="It is ignored.")

    @action(
        description="Open again",
        url_path="reopen",
        permissions=["change"],
        icon="undo",
        dialog={
            "title": "Open again?",
            "description": "It is back on the list of open gaps.",
            "form_submit_text": "Open again",
        },
    )
    def reopen_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        """Put the gap of the page back on the list."""
        return self._decide_this(request, object_id, self._reopen(request), done="Open again.")

    def _decide_this(
        self,
        request: HttpRequest,
        object_id: str,
        change: Callable[[KnowledgeGap], None],
        *,
        done: str,
    ) -> HttpResponse:
        run_each(request, KnowledgeGap.objects.filter(pk=object_id), change, done=done)
        return self._back(request, object_id)

    def _back(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return leave(request, reverse("admin:retrieval_knowledgegap_change", args=[object_id]))

    def _ignore(self, request: HttpRequest) -> Callable[[KnowledgeGap], None]:
        def change(gap: KnowledgeGap) -> None:
            ignore_gap(gap=gap, now=timezone.now())
            self.log_change(request, gap, "Ignored.")

        return change

    def _reopen(self, request: HttpRequest) -> Callable[[KnowledgeGap], None]:
        def change(gap: KnowledgeGap) -> None:
            reopen_gap(gap=gap, now=timezone.now())
            self.log_change(request, gap, "Opened again.")

        return change

    @display(description="Question", ordering="question")
    def asked(self, gap: KnowledgeGap) -> str:
        """Return the newest wording."""
        return Truncator(gap.question).chars(160)

    @display(description="State", ordering="status", label=BADGES)
    def state(self, gap: KnowledgeGap) -> tuple[str, str]:
        """Return the state as a badge."""
        return gap.status, gap.get_status_display()

    @display(description="Asked", ordering="asked_count")
    def times(self, gap: Any) -> str:
        """Return how often it was asked."""
        return "once" if gap.asked_count == 1 else f"{gap.asked_count} times"

    @display(description="This week", ordering="this_week")
    def trend(self, gap: Any) -> str:
        """Return how often it was asked in seven days, and in the seven before."""
        arrow = "↑" if gap.this_week > gap.week_before else "↓"
        change = "" if gap.this_week == gap.week_before else f" {arrow}"
        return f"{gap.this_week}{change} ({gap.week_before} before)"

    @display(description="Last asked", ordering="last_asked_at", empty_value="never")
    def last_asked(self, gap: Any) -> str | None:
        """Return how long ago it was asked last."""
        return ago(gap.last_asked_at)
