"""The vector index over a restart of the server."""

from pathlib import Path

import numpy as np
import psycopg

from crmind.postgres import server
from knowledge.models import EmbeddingSpace
from knowledge.services.spaces import index_statement
from retrieval.conf import RetrievalSettings

SPACE = EmbeddingSpace(pk=1, dimensions=16)
ROWS, QUERIES, NEAREST = 2_000, 200, 10
CREATE_TABLE = """
create extension if not exists vector;
drop table if exists knowledge_chunkembedding;
create table knowledge_chunkembedding (chunk_id bigint, space_id bigint, vector vector)
"""
APPROXIMATE = """
select chunk_id
from knowledge_chunkembedding
where space_id = 1
order by vector::halfvec(16) <=> %s::halfvec(16)
limit 10
"""
EXACT = "select chunk_id from knowledge_chunkembedding order by vector <=> %s::vector limit 10"


def connect(directory: Path) -> psycopg.Connection:
    address = server.ensure_running(directory, database="crmind")
    return psycopg.connect(host=address.host, user=address.user, dbname="crmind", autocommit=True)


def literals(vectors: np.ndarray) -> list[str]:
    return [str(vector.round(6).tolist()) for vector in vectors]


def recall(connection: psycopg.Connection, queries: list[str]) -> float:
    connection.execute("set enable_seqscan = off")
    connection.execute(f"set hnsw.ef_search = {RetrievalSettings().hnsw_ef_search}")
    (plan,) = connection.execute(f"explain (format json) {APPROXIMATE}", [queries[0]]).fetchone()
    assert SPACE.index_name in str(plan)
    found = [set(connection.execute(APPROXIMATE, [query]).fetchall()) for query in queries]
    connection.execute("set enable_indexscan = off")
    exact = [set(connection.execute(EXACT, [query]).fetchall()) for query in queries]
    connection.execute("reset all")
    return sum(len(a & b) for a, b in zip(found, exact, strict=True)) / (NEAREST * len(queries))


def test_vector_index__finds_as_much_after_a_restart_and_a_vacuum(directory):
    random = np.random.default_rng(7)
    rows = literals(random.normal(size=(ROWS, 16)))
    queries = literals(random.normal(size=(QUERIES, 16)))
    with connect(directory) as connection:
        connection.execute(CREATE_TABLE)
        connection.cursor().executemany(
            "insert into knowledge_chunkembedding values (%s, 1, %s)", list(enumerate(rows))
        )
        connection.execute(index_statement(SPACE))
        before = recall(connection, queries)
    server.stop_if_unused(directory)
    with connect(directory) as connection:
        connection.execute("vacuum analyze knowledge_chunkembedding")
        after = recall(connection, queries)
        connection.execute("drop table knowledge_chunkembedding")
    assert before >= 0.95
    assert after >= 0.95
    assert abs(before - after) <= 0.01
