"""Kinds of sources: their authority and how fast they age."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from unfold.decorators import display

from knowledge.admin.curation import CurationAdmin, changes_of
from knowledge.admin.try_it import try_links
from knowledge.models import Document, Source, SourceType
from knowledge.services import create_source_type, update_source_type

SHOWN_USERS = 20


@admin.register(SourceType)
class SourceTypeAdmin(CurationAdmin):
    """Source types with authority and half-life editable in the list."""

    list_display = ("label", "slug", "authority", "half_life_days", "cache_days")
    change_form_after_template = "admin/what_if/button.html"
    list_before_template = "admin/what_if/list_before.html"
    list_after_template = "admin/what_if/list_after.html"
    list_editable = ("authority", "half_life_days")
    search_fields = ("label", "slug")
    fieldsets = (
        (None, {"fields": ("label", "slug", "try_it")}),
        (
            "How it ranks",
            {
                "fields": ("authority", "half_life_days"),
                "description": (
                    "Authority is how much weight this kind of source carries before anything"
                    " else is known: 0.9 for a news desk, 0.3 for something unknown. A source may"
                    " have an authority of its own. The half-life says how fast what it tells goes"
                    " out of date: after that many days a document counts half as fresh."
                ),
            },
        ),
        ("Cached answers", {"fields": ("cache_ttl_days",)}),
    )

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("slug", "try_it") if obj else ("try_it",)

    def save_model(self, request: HttpRequest, obj: SourceType, form: Any, change: bool) -> None:  # noqa: FBT001 # Django's
        if change:
            stored = SourceType.objects.get(pk=obj.pk)
            update_source_type(source_type=stored, **changes_of(form))
        else:
            obj.pk = create_source_type(**form.cleaned_data).pk

    @display(description="Try it", empty_value="Save it first.")
    def try_it(self, source_type: SourceType) -> str | None:
        """Return a link that asks within this kind of source."""
        if not source_type.pk:
            return None
        return try_links(("Ask within this kind", {"types": source_type.slug}))

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Name what stands in the way without reading the passages of a kind, maybe millions."""
        users = _users_of(objs)
        return super().get_deleted_objects(objs, request) if not users else ([], {}, set(), users)

    @display(description="Cached answers last", ordering="cache_ttl_days")
    def cache_days(self, source_type: SourceType) -> str:
        """Return how long answers that cite this kind are served."""
        days = source_type.cache_ttl_days
        if days is None:
            return "as set for the cache"
        return "1 day" if days == 1 else f"{days:g} days"


def _users_of(source_types: Any) -> list[str]:
    kinds = [each.pk for each in source_types]
    sources = Source.objects.filter(source_type__in=kinds)[:SHOWN_USERS]
    documents = Document.objects.filter(source_type__in=kinds).order_by("pk")[:SHOWN_USERS]
    return [f"Source: {each}" for each in sources] + [f"Document: {each}" for each in documents]
