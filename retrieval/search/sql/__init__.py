"""SQL statements of search, one per file, with named parameters."""

from functools import cache
from importlib.resources import files
from typing import Any

from retrieval.types import Filters


@cache
def statement(name: str) -> str:
    """Return the statement in `<name>.sql`, with the condition in `filters.sql` in its place."""
    return _text(name).replace("{filters}", _text("filters"))


def filter_parameters(filters: Filters) -> dict[str, Any]:
    """Return the parameters of `filters.sql`; None does not limit."""
    return {
        "access_tags": sorted(filters.access_tags),
        "entity_ids": list(filters.entity_ids) or None,
        "source_ids": list(filters.source_ids) or None,
        "source_type_ids": list(filters.source_type_ids) or None,
        "since": filters.since,
        "until": filters.until,
        "known_by": filters.known_by,
    }


def _text(name: str) -> str:
    return (files(__name__) / f"{name}.sql").read_text(encoding="utf-8")
