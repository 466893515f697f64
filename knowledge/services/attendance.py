"""Who is at work on a document right now: the database forgets it when the worker dies."""

from collections.abc import Iterable
from types import TracebackType
from typing import Self

from django.db import connection

LOCK_CLASS = 7_310_052

_TAKE = """
SELECT external_id
FROM unnest(%s::text[]) AS external_id
WHERE pg_try_advisory_lock(%s, hashtext(%s || '/' || external_id))
"""
_LEAVE = """
SELECT pg_advisory_unlock(%s, hashtext(%s || '/' || external_id))
FROM unnest(%s::text[]) AS external_id
"""


class Attendance:
    """The documents of a source that this process is at work on; left at the end, come what may.

    Locks are kept by a hash of the name: seldom, one that nobody works on seems to be attended to.
    """

    def __init__(self, source_id: int) -> None:
        self._source_id = source_id
        self._attended: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.leave(self._attended)

    def attend(self, external_ids: Iterable[str]) -> frozenset[str]:
        """Begin to work on documents; return those that nobody else is at work on."""
        names = sorted(set(external_ids))
        if not names:
            return frozenset()
        with connection.cursor() as cursor:
            cursor.execute(_TAKE, [names, LOCK_CLASS, str(self._source_id)])
            taken = frozenset(name for (name,) in cursor.fetchall())
        self._attended |= taken
        return taken

    def leave(self, external_ids: Iterable[str]) -> None:
        """Say that the work on documents has ended, well or not."""
        names = sorted(self._attended.intersection(external_ids))
        self._attended.difference_update(names)
        if names and connection.connection is not None and not connection.connection.closed:
            with connection.cursor() as cursor:
                cursor.execute(_LEAVE, [LOCK_CLASS, str(self._source_id), names])
