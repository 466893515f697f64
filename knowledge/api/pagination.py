"""Pages that neither repeat nor skip rows while others write."""

from rest_framework.pagination import CursorPagination


class NewestFirst(CursorPagination):
    """Cursor pages by descending id: total, and stable under inserts and updates."""

    ordering = "-id"
    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 100
