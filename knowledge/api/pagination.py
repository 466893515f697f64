"""Pages that neither repeat nor skip rows while others write."""

from collections.abc import Mapping, Set
from typing import Any

from django.core import exceptions
from rest_framework.exceptions import ErrorDetail, NotFound, ValidationError
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.views import APIView


class NewestFirst(CursorPagination):
    """Cursor pages by descending id: total, and stable under inserts and updates."""

    ordering = "-id"
    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 100

    def get_page_size(self, request: Request) -> int:
        """Return the number of rows asked for. Raises ValidationError for what is none."""
        given = request.query_params.get("page_size", str(self.page_size))
        sizes = {str(size): size for size in range(1, self.max_page_size + 1)}
        if given not in sizes:
            message = f"A page has 1 to {self.max_page_size} rows."
            raise ValidationError({"page_size": ErrorDetail(message, "invalid")})
        return sizes[given]

    def paginate_queryset(
        self, queryset: Any, request: Request, view: APIView | None = None
    ) -> list[Any] | None:
        """Return the rows of a page. Raises ValidationError for a cursor that leads to none."""
        try:
            cursor = self.decode_cursor(request)
            if cursor is not None and cursor.position is not None:
                queryset.model._meta.pk.to_python(cursor.position)  # noqa: SLF001 # documented
        except (NotFound, exceptions.ValidationError) as error:
            message = "This leads to no page. Begin without a cursor, and follow `next`."
            raise ValidationError({"cursor": ErrorDetail(message, "invalid")}) from error
        rows: list[Any] | None = super().paginate_queryset(queryset, request, view)
        return rows


def check_parameters(given: Mapping[str, str], *, allowed: Set[str] = frozenset()) -> None:
    """Raise ValidationError for an unknown parameter, which must never mean "no filter", or NUL."""
    known = sorted({*allowed, NewestFirst.cursor_query_param, "page_size"})
    message = f"Unknown parameter. Allowed: {', '.join(known)}."
    faults = {name: ErrorDetail(message, "unknown_key") for name in given if name not in known}
    for name, value in given.items():
        if "\0" in value:
            null = "This holds a NUL character. Remove it."
            faults[name] = ErrorDetail(null, "null_characters_not_allowed")
    if faults:
        raise ValidationError(faults)
