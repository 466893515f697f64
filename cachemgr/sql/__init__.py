"""SQL statements of the response cache, one per file, with named parameters."""

from functools import cache
from importlib.resources import files

EXACT_DISTANCE = "r.vector <=> {vector}"
INDEXED_DISTANCE = "r.vector::halfvec({dimensions}) <=> {vector}::halfvec({dimensions})"


@cache
def statement(name: str) -> str:
    """Return the statement in `<name>.sql`."""
    return (files(__name__) / f"{name}.sql").read_text(encoding="utf-8")


def statement_on_space(
    name: str,
    space_id: int,
    *,
    dimensions: int,
    vector: str = "e.vector",
    scope: str = "",
    is_exact: bool = False,
) -> str:
    """Return the statement for the vectors of one space; `scope` is the column of a row's scope.

    What is nearest to `vector` is told by the vector index, or by comparing everything.
    """
    text = statement(name).replace("{within_scope}", statement("within_scope"))
    text = text.replace("{distance}", EXACT_DISTANCE if is_exact else INDEXED_DISTANCE)
    text = (
        text.replace("{vector}", vector)
        .replace("{scope}", scope)
        .replace("{space_id}", f"{space_id:d}")
    )
    return text.replace("{dimensions}", f"{dimensions:d}")
