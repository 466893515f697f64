"""How much of the corpus the filters of a query leave."""

import json
from typing import Any

from django.db import connection

from retrieval.search.sql import filter_parameters, statement
from retrieval.types import Filters

# Counting costs more than asking the planner, whose estimate may be off by a factor.
ESTIMATE_MARGIN = 4


def is_narrow_scope(filters: Filters, *, limit: int) -> bool:
    """Tell whether the filters leave at most `limit` chunks: few enough to look at every one.

    Counted, unless the planner expects far more.
    """
    parameters = {**filter_parameters(filters), "most": limit + 1}
    if _estimate(parameters) > limit * ESTIMATE_MARGIN:
        return False
    with connection.cursor() as cursor:
        cursor.execute(statement("count_in_scope"), parameters)
        (count,) = cursor.fetchone()
    return bool(count <= limit)


def _estimate(parameters: dict[str, Any]) -> float:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (FORMAT JSON) {statement('in_scope')}", parameters)
        (plans,) = cursor.fetchone()
    parsed = plans if isinstance(plans, list) else json.loads(plans)
    return float(parsed[0]["Plan"]["Plan Rows"])
