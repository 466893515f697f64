"""Who is at work on a document right now: the database forgets it when the worker dies."""

from collections.abc import Iterable
from contextlib import suppress
from types import TracebackType
from typing import Self

from django.db import Error, connection

LOCK_CLASS = 7_310_052

_TAKE = """
SELECT name
FROM unnest(%s::text[]) AS name
WHERE pg_try_advisory_lock(%s, hashtext(name))
"""
_LEAVE = """
SELECT pg_advisory_unlock(%s, hashtext(name))
FROM unnest(%s::text[]) AS name
"""


def name_of(source_id: int, external_id: str) -> str:
    """Return the name by which a document is attended to; it may not be stored yet."""
    return f"{source_id}/{external_id}"


class Attendance:
    """The documents that this process is at work on; left at the end, come what may.

    Locks are kept by a hash of the name: seldom, one that nobody works on seems to be attended to.
    They belong to the connection of the thread, which has to leave what it attends to.
    """

    def __init__(self) -> None:
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

    def attend(self, names: Iterable[str]) -> frozenset[str]:
        """Begin to work on documents; return those that nobody else is at work on."""
        wanted = set(names)
        mine = wanted & self._attended
        # The lock of a session counts how often it is taken: once is enough.
        if new := sorted(wanted - mine):
            with connection.cursor() as cursor:
                cursor.execute(_TAKE, [new, LOCK_CLASS])
                mine |= {name for (name,) in cursor.fetchall()}
        self._attended |= mine
        return frozenset(mine)

    def leave(self, names: Iterable[str]) -> None:
        """Say that the work on documents has ended, well or not."""
        left = sorted(self._attended.intersection(names))
        self._attended.difference_update(left)
        if not left or connection.connection is None or connection.connection.closed:
            return
        # Whatever breaks a connection or its transaction must be told, not that it is broken.
        with suppress(Error), connection.cursor() as cursor:
            cursor.execute(_LEAVE, [LOCK_CLASS, left])
