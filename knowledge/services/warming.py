"""Reads what searches use into the memory of the database, as a restart leaves it empty."""

from django.db import connection

from knowledge.models import Chunk
from knowledge.services.spaces import find_active_space

# Large enough to matter, and in this order where not everything has room.
TEXT_INDEXES = ("chunk_search_vector", "chunk_repeated_terms")
# What else is read, and written, needs some of the memory as well.
SHARE = 0.8

IS_AVAILABLE = "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_prewarm')"
ROOM = """
SELECT setting::bigint * current_setting('block_size')::bigint * %s
FROM pg_settings
WHERE name = 'shared_buffers'
"""
SIZE = "SELECT pg_relation_size(to_regclass(%s))"
READ = "SELECT pg_prewarm(to_regclass(%s))"


def warm_search() -> dict[str, int]:
    """Read the indexes and the passages into memory; return their sizes in bytes, by name.

    As far as `SHARE` of the shared buffers has room for them, each whole or not at all. A database
    without the extension pg_prewarm, or without vectors, has nothing to read.
    """
    space = find_active_space()
    if space is None:
        return {}
    names = (space.index_name, *TEXT_INDEXES, Chunk._meta.db_table)  # noqa: SLF001 # documented
    read: dict[str, int] = {}
    with connection.cursor() as cursor:
        cursor.execute(IS_AVAILABLE)
        if cursor.fetchone() != (True,):
            return {}
        cursor.execute(ROOM, [SHARE])
        (room,) = cursor.fetchone()
        for name in names:
            cursor.execute(SIZE, [name])
            (size,) = cursor.fetchone()
            if size is not None and size <= room:
                cursor.execute(READ, [name])
                read[name] = size
                room -= size
    return read
