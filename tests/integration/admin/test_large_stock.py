"""The pages of the admin over a large stock: no statement costs what reading all passages would."""

import json
import os
import time

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from crmind.roles import CURATOR
from knowledge.models import Chunk, Document, EmbeddingSpace, Source
from tests.factories.staff import StaffFactory
from tests.integration.admin.addresses import every_address, fill

pytestmark = pytest.mark.django_db

DOCUMENTS = 5_000
CHUNKS = 100_000
ANSWERS = 5_000
SEARCHES = 20_000

MAKE_DOCUMENTS = """
insert into knowledge_document (source_id, external_id, title, url, author, mime_type,
    content_hash, fetched_at, published_at, language, access_tags, has_own_access_tags, metadata,
    warnings, status, status_reason, chunk_count, attempts, created_at, updated_at)
select %(source)s, 'large-' || n, 'Document ' || n, '', '', '', '',
    now(), now() - n * interval '1 hour', 'english', '{everyone}', false, '{}', '{}',
    case when n %% 50 = 0 then 'failed' else 'ready' end,
    case when n %% 50 = 0 then 'The PDF is locked.' else '' end,
    %(each)s, 0, now(), now() - n * interval '1 second'
from generate_series(1, %(documents)s) as n
"""
MAKE_CHUNKS = """
insert into knowledge_chunk (document_id, position, text, prefix, heading_path, start, "end",
    token_count, content_hash, extra_terms, search_vector, is_switched_off, is_active, source_id,
    source_type_id, language, access_tags, entity_ids)
select document.id, n, repeat('The grail is in the castle of Aargh. ', 4), '', '{}', 0, 120, 30,
    '', '', '', false, true, document.source_id, source.source_type_id, 'english', '{everyone}',
    '{}'
from knowledge_document as document
join knowledge_source as source on source.id = document.source_id
cross join generate_series(1, %(each)s) as n
where document.external_id like 'large-%%'
"""
MAKE_EMBEDDINGS = """
insert into knowledge_chunkembedding (chunk_id, space_id, vector)
select chunk.id, %(space)s, '[1,0,0]' from knowledge_chunk as chunk
left join knowledge_chunkembedding as embedding on embedding.chunk_id = chunk.id
where embedding.chunk_id is null
"""
MAKE_SEARCHES = """
insert into retrieval_searchlog (question, question_hash, interpretation, filters, profile_slug,
    verdict, chunk_ids, origin, timings_ms, created_at)
select 'Where is grail ' || n, '', '{}', '{}', 'balanced',
    (array['answerable', 'weak', 'none'])[1 + n %% 3], '{}', 'api', '{}',
    now() - n * interval '2 minutes'
from generate_series(1, %(searches)s) as n
"""
MAKE_ANSWERS = """
insert into cachemgr_cachedresponse
select (jsonb_populate_record(response, jsonb_build_object(
    'id', gen_random_uuid(), 'space_id', %(space)s, 'question', 'Where is grail ' || n,
    'question_key', lpad(n::text, 64, 'x')
))).*
from generate_series(1, %(answers)s) as n
cross join cachemgr_cachedresponse as response
where response.id = (select id from cachemgr_cachedresponse limit 1)
"""


def make_space():
    """Make a space without an index: to link so many vectors would take minutes."""
    space = EmbeddingSpace(provider="hashing", model="large", dimensions=3, status="retired")
    return EmbeddingSpace.objects.bulk_create([space])[0]


def make_stock():
    """Fill the tables by five statements."""
    fill(2)
    values = {
        "source": Source.objects.order_by("pk").first().pk,
        "space": make_space().pk,
        "documents": DOCUMENTS,
        "each": CHUNKS // DOCUMENTS,
        "answers": ANSWERS,
        "searches": SEARCHES,
    }
    with connection.cursor() as cursor:
        for statement in (
            MAKE_DOCUMENTS,
            MAKE_CHUNKS,
            MAKE_EMBEDDINGS,
            MAKE_SEARCHES,
            MAKE_ANSWERS,
        ):
            cursor.execute(statement, values)
        for table in (
            "knowledge_document",
            "knowledge_chunk",
            "knowledge_chunkembedding",
            "retrieval_searchlog",
            "cachemgr_cachedresponse",
        ):
            cursor.execute(f"analyze {table}")


def cost_of(sql):
    """Return what the planner expects a statement to cost."""
    with connection.cursor() as cursor:
        cursor.execute(f"explain (format json) {sql}")
        (plan,) = cursor.fetchone()
    plan = json.loads(plan) if isinstance(plan, str) else plan
    return plan[0]["Plan"]["Total Cost"]


def test_pages__no_statement_costs_as_much_as_reading_all_passages(client):
    make_stock()
    assert Chunk.objects.count() >= CHUNKS
    assert Document.objects.count() >= DOCUMENTS
    whole = cost_of("select count(*) from knowledge_chunk")
    client.force_login(StaffFactory(role=CURATOR))

    dear, times = [], {}
    for each in every_address():
        with CaptureQueriesContext(connection) as queries:
            began = time.perf_counter()
            client.get(each.url)
            times[each.url] = time.perf_counter() - began
        for query in queries:
            sql = query["sql"]
            if sql.startswith("SELECT") and (cost := cost_of(sql)) > whole / 2:
                dear.append(f"{each.url} costs {cost / whole:.1f}: {sql}")
    if path := os.environ.get("PAGE_TIMES"):
        with open(path, "w", encoding="utf-8") as file:
            for url, seconds in sorted(times.items(), key=lambda row: -row[1]):
                file.write(f"{seconds:.3f} {url}\n")
    assert not dear, "\n".join(dear)
