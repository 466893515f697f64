"""What was asked and how well it could be answered."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from unfold.contrib.filters.admin import DropdownFilter
from unfold.decorators import display

from knowledge.admin.curation import ReadOnlyAdmin
from knowledge.admin.paging import BoundedPaginator
from retrieval.models import SearchLog
from retrieval.types import Verdict

VERDICTS = {
    Verdict.ANSWERABLE: "Answerable",
    Verdict.WEAK: "Weak evidence",
    Verdict.CONFLICTING: "Conflicting evidence",
    Verdict.NONE: "No evidence",
}
LONGEST_KEY = 18
BADGES = {
    Verdict.ANSWERABLE: "success",
    Verdict.WEAK: "warning",
    Verdict.CONFLICTING: "warning",
    Verdict.NONE: "danger",
}


# The value of the filter that takes every verdict but the best together.
POOR = "poor"


class VerdictFilter(DropdownFilter):
    """By how well the question could be answered."""

    title = "verdict"
    parameter_name = "verdict"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return the verdicts."""
        verdicts = [(verdict.value, words) for verdict, words in VERDICTS.items()]
        return [*verdicts, (POOR, "Any but answerable")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Limit to the chosen verdict."""
        if self.value() == POOR:
            return queryset.exclude(verdict=Verdict.ANSWERABLE)
        return queryset.filter(verdict=self.value()) if self.value() else queryset


class GapFilter(admin.SimpleListFilter):
    """Searches of one knowledge gap; reached by a link from its page, not from the list."""

    title = "knowledge gap"
    parameter_name = "gap"
    template = "admin/no_filter.html"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return the gap asked for, so that the filter counts as one."""
        value = request.GET.get(self.parameter_name, "")
        return [(value, value)] if is_key(value) else []

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Limit to searches of the gap."""
        value = self.value()
        return queryset.filter(gap_question__gap_id=int(value)) if value else queryset


def is_key(value: str) -> bool:
    """Return whether a value of an address may be the key of a row."""
    return value.isdecimal() and len(value) <= LONGEST_KEY


@admin.register(SearchLog)
class SearchLogAdmin(ReadOnlyAdmin):
    """Questions, newest first, kept for a limited time."""

    list_display = ("asked", "verdict_words", "profile_slug", "found", "origin", "created_at")
    list_filter = (VerdictFilter, GapFilter)
    search_fields = ("question",)
    ordering = ("-created_at", "-id")
    paginator = BoundedPaginator
    fields = (
        "asked",
        "verdict",
        "profile_slug",
        "found",
        "limits",
        "took",
        "origin",
        "created_at",
        "again",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).defer("interpretation")

    @display(description="Question")
    def asked(self, search: SearchLog) -> str:
        """Return the question, unless it must not be kept."""
        return Truncator(search.question).chars(160) or "not kept"

    @display(description="Verdict", ordering="verdict", label=BADGES)
    def verdict_words(self, search: SearchLog) -> tuple[str, str]:
        """Return the verdict as a badge."""
        return search.verdict, VERDICTS.get(Verdict(search.verdict), search.verdict)

    @display(description="Passages found")
    def found(self, search: SearchLog) -> int:
        """Return how many passages came back."""
        return len(search.chunk_ids)

    @display(description="Limited to")
    def limits(self, search: SearchLog) -> str:
        """Return the filters in words."""
        given = (_limit(name, value) for name, value in search.filters.items() if value)
        return "; ".join(given) or "nothing"

    @display(description="Took")
    def took(self, search: SearchLog) -> str:
        """Return the time of each stage."""
        return ", ".join(f"{stage} {time:.0f} ms" for stage, time in search.timings_ms.items())

    @display(description="")
    def again(self, search: SearchLog) -> SafeString | str:
        """Return a link that asks the question again."""
        if not search.question:
            return ""
        address = f"{reverse('preview')}?{urlencode({'question': search.question})}"
        return format_html('<a href="{}" class="text-link">Try this question</a>', address)


CHOSEN = {
    "entity_ids": "chosen entities",
    "source_ids": "chosen sources",
    "source_type_ids": "chosen kinds of source",
}
LIMITS = {
    "access_tags": "readers",
    "since": "published from",
    "until": "published before",
    "known_by": "as if it were",
}


def _limit(name: str, value: Any) -> str:
    if name in CHOSEN:
        return f"{len(value)} {CHOSEN[name]}"
    words = ", ".join(value) if isinstance(value, list) else str(value)
    return f"{LIMITS.get(name, name)} {words}"
