"""Chunks: the passages that are searched."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.contrib.postgres.search import SearchQuery
from django.db.models import Q, QuerySet
from django.db.models.functions import Left
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import BooleanRadioFilter, RelatedDropdownFilter
from unfold.decorators import action, display

from knowledge.admin.curation import ReadOnlyAdmin, leave, link_to, run_each
from knowledge.admin.paging import BoundedPaginator
from knowledge.admin.readers import only_readable
from knowledge.admin.related import RelatedFilter
from knowledge.models import Chunk
from knowledge.services import switch_chunk

UNREAD_IN_LISTS = ("text", "prefix", "extra_terms", "search_vector", "entity_ids")
EXCERPT_CHARACTERS = 160


@admin.register(Chunk)
class ChunkAdmin(ReadOnlyAdmin):
    """Passages to read and to switch off one by one; lists never read whole texts or vectors."""

    list_display = ("excerpt", "document_title", "place", "source", "tokens", "searched")
    list_display_links = ("excerpt",)
    list_select_related = ("document", "source")
    list_filter = (
        ("document", RelatedFilter),
        ("source", RelatedFilter),
        ("source_type", RelatedDropdownFilter),
        ("is_switched_off", BooleanRadioFilter),
    )
    search_fields = ("text",)
    search_help_text = "Words of the passage"
    ordering = ("document_id", "position")
    sortable_by = ()
    paginator = BoundedPaginator
    actions = ("switch_off", "switch_on")
    actions_detail = ("switch_off_this", "switch_on_this")
    fieldsets = (
        (
            None,
            {
                "fields": (
                    "document_link",
                    "place",
                    "headings",
                    "whole_text",
                    "span",
                    "tokens",
                    "searched",
                    "vectors",
                )
            },
        ),
        (
            "Copied from the document, to filter by",
            {
                "fields": (
                    "source",
                    "source_type",
                    "language",
                    "access_tags",
                    "published_at",
                    "valid_from",
                    "valid_until",
                )
            },
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        chunks = super().get_queryset(request).select_related("document", "source", "source_type")
        chunks = chunks.annotate(beginning=Left("text", EXCERPT_CHARACTERS))
        return only_readable(chunks.defer(*UNREAD_IN_LISTS), request.user)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Search by the full-text index: LIKE over every passage would read the whole table."""
        search_term = search_term.replace("\0", "")
        if not search_term.strip():
            return queryset, False
        if "\0" in search_term:
            return queryset.none(), False
        words = SearchQuery(search_term, config="english")
        exact = SearchQuery(search_term, config="simple")
        return queryset.filter(Q(search_vector=words) | Q(search_vector=exact)), False

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> list[Any]:
        """Return the actions that the state of the passage allows."""
        offered = super().get_actions_detail(request, object_id)
        is_off = self.get_queryset(request).filter(pk=object_id, is_switched_off=True).exists()
        unfit = "switch_off_this" if is_off else "switch_on_this"
        return [each for each in offered if not each.action_name.endswith(unfit)]

    def has_switch_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether the user may take passages out of search."""
        return bool(request.user.has_perm("knowledge.change_chunk"))

    @admin.action(description="Switch off", permissions=["switch"])
    def switch_off(self, request: HttpRequest, queryset: QuerySet[Chunk]) -> None:
        """Take the chosen passages out of search."""
        run_each(request, queryset, self._switch(request, off=True), done=f"{OFF} {{count}}.")

    @admin.action(description="Switch on", permissions=["switch"])
    def switch_on(self, request: HttpRequest, queryset: QuerySet[Chunk]) -> None:
        """Bring the chosen passages back into search."""
        run_each(request, queryset, self._switch(request, off=False), done=f"{ON} {{count}}.")

    @action(
        description="Switch off",
        url_path="switch-off",
        permissions=["switch"],
        icon="visibility_off",
        dialog={
            "title": "Switch off this passage?",
            "description": (
                "It is no longer searched, also after reindexing, and answers in the cache that"
                " cite it are withdrawn. The rest of its document keeps answering."
            ),
            "form_submit_text": "Switch off",
        },
    )
    def switch_off_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        """Take the passage of the page out of search."""
        return self._switch_this(request, object_id, off=True)

    @action(
        description="Switch on",
        url_path="switch-on",
        permissions=["switch"],
        icon="visibility",
        dialog={
            "title": "Switch on this passage?",
            "description": "It is searched again from the next question on.",
            "form_submit_text": "Switch on",
        },
    )
    def switch_on_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        """Bring the passage of the page back into search."""
        return self._switch_this(request, object_id, off=False)

    def _switch_this(self, request: HttpRequest, object_id: str, *, off: bool) -> HttpResponse:
        chosen = self.get_queryset(request).filter(pk=object_id)
        done = f"{OFF if off else ON} {{count}}."
        run_each(request, chosen, self._switch(request, off=off), done=done)
        return leave(request, reverse("admin:knowledge_chunk_change", args=[object_id]))

    def _switch(self, request: HttpRequest, *, off: bool) -> Callable[[Chunk], None]:
        def change(chunk: Chunk) -> None:
            switch_chunk(chunk=chunk, off=off)
            self.log_change(request, chunk, "Switched off." if off else "Switched on.")

        return change

    @display(description="Passage")
    def excerpt(self, chunk: Any) -> str:
        """Return the beginning of the text."""
        return str(chunk.beginning)

    @display(description="Document")
    def document_title(self, chunk: Chunk) -> str:
        """Return the title of the document."""
        return str(chunk.document)

    @display(description="Document")
    def document_link(self, chunk: Chunk) -> SafeString:
        """Return a link to the document."""
        return link_to(chunk.document)

    @display(description="Place")
    def place(self, chunk: Chunk) -> str:
        """Return the place in the document, counted as people do."""
        return f"{chunk.position + 1} of {chunk.document.chunk_count}"

    @display(description="Headings")
    def headings(self, chunk: Chunk) -> str:
        """Return the headings above the passage."""
        return " / ".join(chunk.heading_path)

    @display(description="Text")
    def whole_text(self, chunk: Chunk) -> SafeString:
        """Return the passage as it stands."""
        prefix = f"{chunk.prefix}\n" if chunk.prefix else ""
        return format_html('<div class="crmind-text">{}{}</div>', prefix, chunk.text)

    @display(description="Characters")
    def span(self, chunk: Chunk) -> str:
        """Return where the passage stands in the text of the document."""
        return f"{chunk.start:,} to {chunk.end:,} of the text of the document"

    @display(description="Tokens")
    def tokens(self, chunk: Chunk) -> int:
        """Return its length as the embedding model counts it."""
        return chunk.token_count

    @display(description="Searched", boolean=True)
    def searched(self, chunk: Chunk) -> bool:
        """Return whether search may return it."""
        return chunk.is_active

    @display(description="Meaning")
    def vectors(self, chunk: Chunk) -> str:
        """Return the models that have read it; the vectors themselves tell people nothing."""
        spaces = chunk.embeddings.order_by("-space_id").values_list(
            "space__model", "space__dimensions", "space__status"
        )
        lines = format_html_join("", "<div>{}, {} dimensions ({})</div>", spaces)
        return lines or "Not embedded yet: found by its words only. Reindex its document."


OFF = "Switched off, passages:"
ON = "Switched on, passages:"
