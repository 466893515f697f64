"""Every look-up and invalidation goes through an index."""

from datetime import timedelta

import pytest
from django.db import connection
from pgvector.django import CosineDistance

from cachemgr.models import CachedCitation, CachedResponse, StoreKey
from tests.factories.cachemgr import CachedResponseFactory
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


def test_semantic_look_up(without_scans, conversation):
    vector = conversation.embedder.embed_query("Why?")
    nearest = in_scope().annotate(distance=CosineDistance("vector", vector)).order_by("distance")
    assert "Index Scan using cachedresponse_one_live" in nearest[:5].explain()


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
