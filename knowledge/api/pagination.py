"""Pages that neither repeat nor skip rows while others write."""

from collections.abc import Iterable, Set

from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request


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


def check_parameters(given: Iterable[str], *, allowed: Set[str] = frozenset()) -> None:
    """Raise ValidationError for an unknown parameter: it must never mean "no filter"."""
    known = sorted({*allowed, NewestFirst.cursor_query_param, "page_size"})
    message = f"Unknown parameter. Allowed: {', '.join(known)}."
    unknown = {name: ErrorDetail(message, "unknown_key") for name in given if name not in known}
    if unknown:
        raise ValidationError(unknown)
