"""The transaction in which a search reads: bounded in time, its index scans bounded in breadth."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

from retrieval.conf import RetrievalSettings
from retrieval.search.sql import statement

# As wide as pgvector can.
MAX_EF_SEARCH = 1_000


@contextmanager
def search_session(settings: RetrievalSettings, *, depth: int) -> Iterator[None]:
    """Run the statements of one search; one that takes too long ends as an OperationalError.

    `depth` is the number of chunks wanted of the HNSW index.
    """
    parameters = {
        "ef_search": str(min(max(settings.hnsw_ef_search, depth), MAX_EF_SEARCH)),
        "max_scan_tuples": str(settings.hnsw_max_scan_tuples),
        "statement_timeout": str(settings.statement_timeout_ms),
    }
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(statement("search_session"), parameters)
        yield
