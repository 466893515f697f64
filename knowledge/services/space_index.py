"""The vector index of one embedding space: built beside running searches, or dropped."""

from django.db import connection

from knowledge.models import EmbeddingSpace
from knowledge.services.spaces import index_statement


def has_valid_index(space: EmbeddingSpace) -> bool:
    """Tell whether the index of the space is there and whole."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT indisvalid AND indisready FROM pg_index WHERE indexrelid = to_regclass(%s)",
            [space.index_name],
        )
        row = cursor.fetchone()
    return bool(row and row[0])


def build_index(space: EmbeddingSpace) -> None:
    """Build the index while passages are read and written; one left half built is built anew."""
    if has_valid_index(space):
        return
    drop_index(space)
    building = index_statement(space)
    if not connection.in_atomic_block:
        building = building.replace("CREATE INDEX", "CREATE INDEX CONCURRENTLY", 1)
    with connection.cursor() as cursor:
        cursor.execute(building)


def drop_index(space: EmbeddingSpace) -> None:
    """Drop the index of the space, if there is one, without keeping searches waiting."""
    how = "" if connection.in_atomic_block else "CONCURRENTLY"
    with connection.cursor() as cursor:
        cursor.execute(f"DROP INDEX {how} IF EXISTS {space.index_name}")
