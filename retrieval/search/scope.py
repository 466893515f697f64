"""How much of the corpus the filters of a query leave."""

from django.db import connection

from retrieval.search.sql import filter_parameters, statement
from retrieval.types import Filters


def is_narrow_scope(filters: Filters, *, limit: int) -> bool:
    """Tell whether the filters leave at most `limit` chunks: few enough to look at every one."""
    parameters = {**filter_parameters(filters), "most": limit + 1}
    with connection.cursor() as cursor:
        cursor.execute(statement("count_in_scope"), parameters)
        (count,) = cursor.fetchone()
    return bool(count <= limit)
