"""How much of the corpus the filters of a query leave."""

import json
from dataclasses import dataclass
from time import monotonic
from typing import Any

from django.db import connection

from retrieval.search.sql import filter_parameters, statement
from retrieval.types import Filters

# Counting costs more than asking the planner, whose estimate may be off by a factor.
ESTIMATE_MARGIN = 4
# What is wide stays so for a while. Should it not, the index is asked where everything could have
# been compared: approximate, not wrong.
WIDE_SECONDS = 30.0
MAX_REMEMBERED = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """How many chunks the filters leave, exactly up to `limit`; any larger `size` only says so."""

    size: int
    limit: int

    @property
    def is_narrow(self) -> bool:
        """Whether the chunks are few enough to look at every one."""
        return self.size <= self.limit


_wide: dict[tuple[object, ...], tuple[float, Scope]] = {}


def measure_scope(filters: Filters, *, limit: int) -> Scope:
    """Count the chunks that the filters leave, unless the planner expects far more than `limit`."""
    key = (connection.settings_dict["NAME"], filters, limit)
    until, known = _wide.get(key, (0.0, None))
    if known is not None and monotonic() < until:
        return known
    parameters = {**filter_parameters(filters), "most": limit + 1}
    expected = _estimate(parameters)
    if expected > limit * ESTIMATE_MARGIN:
        scope = Scope(size=expected, limit=limit)
        if len(_wide) >= MAX_REMEMBERED:
            _wide.clear()
        _wide[key] = (monotonic() + WIDE_SECONDS, scope)
        return scope
    with connection.cursor() as cursor:
        cursor.execute(statement("count_in_scope"), parameters)
        (count,) = cursor.fetchone()
    return Scope(size=count, limit=limit)


def _estimate(parameters: dict[str, Any]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (FORMAT JSON) {statement('in_scope')}", parameters)
        (plans,) = cursor.fetchone()
    parsed = plans if isinstance(plans, list) else json.loads(plans)
    return int(parsed[0]["Plan"]["Plan Rows"])
