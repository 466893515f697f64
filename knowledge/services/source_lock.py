"""One run of a source at a time, also across processes and machines."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from knowledge.exceptions import SourceBusyError

LOCK_CLASS = 7_310_051


@contextmanager
def alone_with(source_id: int) -> Iterator[None]:
    """Hold a source; the database lets go of it when this process dies. Raises SourceBusyError."""
    if not _ask("SELECT pg_try_advisory_lock(%s, %s)", source_id):
        message = "Another run of this source is under way. Wait until it has ended."
        raise SourceBusyError(message)
    try:
        yield
    finally:
        if connection.connection is not None and not connection.connection.closed:
            _ask("SELECT pg_advisory_unlock(%s, %s)", source_id)


def is_taken(source_id: int) -> bool:
    """Tell whether a run of the source is under way in any process."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            " AND classid = %s AND objid = %s AND objsubid = 2)",
            [LOCK_CLASS, source_id],
        )
        return bool(cursor.fetchone()[0])


def _ask(statement: str, source_id: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(statement, [LOCK_CLASS, source_id])
        return bool(cursor.fetchone()[0])
