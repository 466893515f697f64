"""Every look-up and invalidation goes through an index."""

from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from cachemgr.models import CachedCitation, CachedResponse, StoreKey
from cachemgr.services.vector_index import create_index, index_name
from cachemgr.sql import statement, statement_on_space
from knowledge.models import ChunkEmbedding
from tests.factories.cachemgr import CachedResponseFactory, EmbeddingSpaceFactory
from tests.factories.knowledge import ChunkFactory
from tests.integration.cachemgr.conftest import NOW

pytestmark = pytest.mark.django_db


@pytest.fixture
def without_scans(db):
    """Give tables that are worth an index, scanned only where no index serves."""
    response = CachedResponseFactory.create_batch(50)[0]
    CachedCitation.objects.bulk_create(
        CachedCitation(
            response=response,
            number=number,
            chunk_id=number,
            document_id=number,
            source_id=number,
            content_hash="0" * 64,
            trust=0.7,
        )
        for number in range(1, 500)
    )
    StoreKey.objects.bulk_create(
        StoreKey(
            question="Why?",
            question_key=f"{number:064}",
            scope_fingerprint="0" * 64,
            scope={},
            space=response.space,
            vector=[1.0, 0.0, 0.0],
            evidence=[],
            created_at=NOW + timedelta(hours=number),
            expires_at=NOW + timedelta(hours=number + 1),
        )
        for number in range(500)
    )
    with connection.cursor() as cursor:
        for model in (CachedResponse, CachedCitation, StoreKey):
            cursor.execute(f"ANALYZE {model._meta.db_table}")
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_bitmapscan = off")


def in_scope():
    return CachedResponse.objects.live().filter(scope_fingerprint="a" * 64)


def test_exact_look_up(without_scans):
    plan = in_scope().filter(question_key="b" * 64).explain()
    assert "cachedresponse_one_live" in plan
    assert "Index Cond: (((scope_fingerprint)::text = " in plan
    assert "AND ((question_key)::text" in plan


@pytest.fixture
def many_answers(db):
    """Give a scope of thousands of answers beside one of few; return their space."""
    space = EmbeddingSpaceFactory()
    with connection.cursor() as cursor:
        # Built at once, the index is there sooner.
        cursor.execute(f"DROP INDEX {index_name(space.pk)}")
        cursor.execute(
            """
            INSERT INTO cachemgr_cachedresponse (
                id, question, question_key, scope_fingerprint, scope, space_id, vector, answer,
                model_name, answer_tokens, evidence_tokens, evidence_similarity, hit_count,
                created_at, expires_at, invalidation_reason
            )
            SELECT gen_random_uuid(), 'Why?', n::text,
                CASE WHEN mod(n, 500) = 0 THEN 'few' ELSE 'many' END,
                '{"access_tags": ["everyone"]}', %s,
                ARRAY[random() + 0.01, random(), random()]::vector, 'So [1].', '', 0, 0, 0.5, 0,
                now(), now() + interval '7 days', ''
            FROM generate_series(1, 10000) AS n
            """,
            [space.pk],
        )
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        create_index(space)
        cursor.execute("ANALYZE cachemgr_cachedresponse")
    return space


def explain_nearest(space, fingerprint, *, is_exact):
    text = statement_on_space(
        "nearest", space.pk, dimensions=3, vector="%(vector)s::vector", is_exact=is_exact
    )
    parameters = {
        "vector": "[1, 2, 3]",
        "scope_fingerprint": fingerprint,
        "now": timezone.now(),
        "count": 5,
    }
    with connection.cursor() as cursor:
        cursor.execute(statement("vector_session"), {"ef_search": "100"})
        cursor.execute(f"EXPLAIN {text}", parameters)
        plan = "\n".join(line for (line,) in cursor.fetchall())
        cursor.execute(text, parameters)
        return plan, cursor.fetchall()


def test_semantic_look_up__among_many(many_answers):
    plan, nearest = explain_nearest(many_answers, "many", is_exact=False)
    assert f"Index Scan using cachedresponse_hnsw_space_{many_answers.pk}" in plan
    assert "Seq Scan" not in plan
    assert len(nearest) == 5


def test_semantic_look_up__in_a_narrow_scope(many_answers):
    plan, nearest = explain_nearest(many_answers, "few", is_exact=True)
    assert "cachedresponse_one_live" in plan
    assert "hnsw" not in plan
    assert len(nearest) == 5


def test_answers_outdone_by_a_passage__among_many(many_answers):
    chunk = ChunkFactory()
    ChunkEmbedding.objects.create(space=many_answers, chunk=chunk, vector=[1.0, 2.0, 3.0])
    text = statement_on_space("find_outdone", many_answers.pk, dimensions=3, scope="r.scope")
    parameters = {"chunk_ids": [chunk.pk], "depth": 200, "share": 0.7}
    with connection.cursor() as cursor:
        cursor.execute(statement("vector_session"), {"ef_search": "200"})
        cursor.execute(f"EXPLAIN {text}", parameters)
        plan = "\n".join(line for (line,) in cursor.fetchall())
        cursor.execute(text, parameters)
        assert len(cursor.fetchall()) == 200
    assert f"Index Scan using cachedresponse_hnsw_space_{many_answers.pk}" in plan


@pytest.mark.parametrize(
    ("filters", "index"),
    [
        ({"chunk_id__in": [1, 2]}, "cachedcitation_by_chunk"),
        ({"document_id__in": [1, 2]}, "cachedcitation_by_document"),
        ({"source_id": 1}, "cachedcitation_by_source"),
    ],
)
def test_invalidation(without_scans, filters, index):
    citing = CachedCitation.objects.order_by().filter(**filters).values("response_id")
    assert f"Index Scan using {index}" in citing.explain()


def test_store_keys_of_a_question(without_scans):
    keys = StoreKey.objects.filter(scope_fingerprint="a" * 64, question_key="b" * 64)
    assert "storekey_by_question" in keys.explain()


def test_expired_store_keys(without_scans):
    assert "storekey_by_expiry" in StoreKey.objects.filter(expires_at__lte=NOW).explain()
