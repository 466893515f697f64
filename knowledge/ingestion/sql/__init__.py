"""SQL statements of ingestion, one per file, with named parameters."""

from functools import cache
from importlib.resources import files


@cache
def statement(name: str) -> str:
    """Return the statement in `<name>.sql`."""
    return (files(__name__) / f"{name}.sql").read_text(encoding="utf-8")
