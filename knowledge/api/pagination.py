"""Pages that neither repeat nor skip rows while others write."""

from collections.abc import Iterable, Set

from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.pagination import CursorPagination


class NewestFirst(CursorPagination):
    """Cursor pages by descending id: total, and stable under inserts and updates."""

    ordering = "-id"
    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 100


def check_parameters(given: Iterable[str], *, allowed: Set[str] = frozenset()) -> None:
    """Raise ValidationError for an unknown parameter: it must never mean "no filter"."""
    known = sorted({*allowed, NewestFirst.cursor_query_param, "page_size"})
    message = f"Unknown parameter. Allowed: {', '.join(known)}."
    unknown = {name: ErrorDetail(message, "unknown_key") for name in given if name not in known}
    if unknown:
        raise ValidationError(unknown)
