"""Pages of lists that may be huge."""

from typing import Any

from django.core.paginator import Paginator
from django.utils.functional import cached_property
from unfold.forms import PaginationInlineFormSet

COUNTED_AT_MOST = 10_000
LONGEST_PAGE_NUMBER = 7


class PagedFormSet(PaginationInlineFormSet):
    """Rows below a row, page by page; what is no number of a page is the first."""

    def get_page_num(self) -> int:
        key = self.get_pagination_key()
        given = self.request.GET.get(key) or self.request.POST.get(key) or ""
        is_number = given.isdecimal() and len(given) <= LONGEST_PAGE_NUMBER
        return max(1, int(given)) if is_number else 1


class BoundedPaginator(Paginator):
    """Counts no further than COUNTED_AT_MOST rows: a list of millions opens as fast as a short one.

    Rows beyond that are reached by search and filters, never by turning pages.
    """

    template_name = "admin/pagination_bounded.html"

    @cached_property
    def count(self) -> int:
        """Return the number of rows, at most COUNTED_AT_MOST."""
        return min(self._counted, COUNTED_AT_MOST)

    @property
    def is_cut(self) -> bool:
        """Whether there are more rows than are counted."""
        return self._counted > COUNTED_AT_MOST

    @cached_property
    def _counted(self) -> int:
        rows: Any = self.object_list
        return int(rows.order_by()[: COUNTED_AT_MOST + 1].count())
