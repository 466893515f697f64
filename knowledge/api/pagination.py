"""Pages that neither repeat nor skip rows while others write."""

from rest_framework.pagination import CursorPagination


class NewestFirst(CursorPagination):
    """Cursor pages by descending id: total, and stable under inserts and updates."""

    ordering: str | tuple[str, ...] = "-id"
    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 100


class ByIdentity(NewestFirst):
    """Cursor pages by creation, then id, for rows whose id is random."""

    ordering = ("-created_at", "-id")
