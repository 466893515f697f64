"""Reads what searches use into the memory of the database, as a restart leaves it empty."""

from django.db import connection

from knowledge.models import Chunk, ChunkEmbedding, Document
from knowledge.services.spaces import find_active_space

# What searches read, the more often the earlier.
PASSAGES, DOCUMENTS, VECTORS = (
    model._meta.db_table  # noqa: SLF001 # documented
    for model in (Chunk, Document, ChunkEmbedding)
)
KEYS = (f"{PASSAGES}_pkey", f"{DOCUMENTS}_pkey", "chunkembedding_unique")
TEXT_INDEXES = ("chunk_search_vector", "chunk_repeated_terms")
# What else is read, and written, needs some of the memory as well.
SHARE = 0.8

IS_AVAILABLE = "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_prewarm')"
ROOM = """
SELECT setting::bigint * current_setting('block_size')::bigint * %s
FROM pg_settings
WHERE name = 'shared_buffers'
"""
# The texts of passages lie in a table of their own, of which only the number is known.
TEXTS = "texts"
RELATIONS = """
SELECT names.name, class.oid, pg_relation_size(class.oid)
FROM unnest(%s::text[]) WITH ORDINALITY AS names (name, place)
JOIN pg_class AS class ON class.oid = (
  SELECT CASE names.name WHEN 'texts' THEN reltoastrelid ELSE to_regclass(names.name) END
  FROM pg_class
  WHERE oid = to_regclass(%s)
)
ORDER BY names.place
"""
READ = "SELECT pg_prewarm(%s::oid::regclass, %s)"
INTO_MEMORY = "buffer"
# Into the memory of the operating system: slower than the other, far faster than the disk.
INTO_CACHE = "read"


def warm_search() -> dict[str, int]:
    """Read indexes, passages and vectors into memory; return their sizes in bytes, by name.

    As far as `SHARE` of the shared buffers has room for them, each whole or not at all; what has
    none is left to the cache of the operating system. A database without the extension pg_prewarm,
    or without vectors, has nothing to read.
    """
    space = find_active_space()
    if space is None:
        return {}
    names = [*KEYS, space.index_name, *TEXT_INDEXES, PASSAGES, DOCUMENTS, TEXTS, VECTORS]
    read: dict[str, int] = {}
    with connection.cursor() as cursor:
        cursor.execute(IS_AVAILABLE)
        if cursor.fetchone() != (True,):
            return {}
        cursor.execute(ROOM, [SHARE])
        (room,) = cursor.fetchone()
        cursor.execute(RELATIONS, [names, PASSAGES])
        for name, relation, size in cursor.fetchall():
            has_room = size <= room
            cursor.execute(READ, [relation, INTO_MEMORY if has_room else INTO_CACHE])
            read[name] = size
            room -= size if has_room else 0
    return read
