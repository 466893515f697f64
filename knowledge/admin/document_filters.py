"""Filters of the list of documents."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Q, QuerySet
from django.http import HttpRequest
from unfold.contrib.filters.admin import DropdownFilter

from knowledge.models import SourceType


class TypeFilter(DropdownFilter):
    """By the type in force: that of the document, else that of its source."""

    title = "type"
    parameter_name = "type"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Iterable[tuple[str, str]]:
        """Return every source type."""
        return list(SourceType.objects.values_list("slug", "label"))

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Limit to the chosen type."""
        slug = self.value()
        if not slug:
            return queryset
        own = Q(source_type__slug=slug)
        return queryset.filter(own | Q(source_type=None, source__source_type__slug=slug))


class TroubleFilter(DropdownFilter):
    """Documents somebody has to look at."""

    title = "what to look at"
    parameter_name = "trouble"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Iterable[tuple[str, str]]:
        """Return the only choice."""
        return [("yes", "Failed or needs attention")]

    def queryset(self, request: HttpRequest, queryset: Any) -> QuerySet[Any]:
        """Limit to documents in trouble."""
        return queryset.failing() if self.value() == "yes" else queryset
