"""The vector arm: recall under filters, and the indexes behind it."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from django.db import connection

from knowledge.embedding.base import EmbeddingSpec
from knowledge.models import Chunk
from knowledge.services import ensure_space
from retrieval.conf import RetrievalSettings
from retrieval.search.scope import Scope, measure_scope
from retrieval.search.session import search_session
from retrieval.search.sql import filter_parameters, statement
from retrieval.search.vector import find_by_vector
from retrieval.types import Filters
from tests.factories.knowledge import DocumentFactory, SourceFactory
from tests.integration.retrieval.conftest import EVERYONE, NOW

pytestmark = pytest.mark.django_db

DIMENSIONS = 16
CHUNK_COUNT = 2_000
LEGAL_SHARE = 10


@pytest.fixture
def space_id(db):
    spec = EmbeddingSpec(provider="test", model="random", dimensions=DIMENSIONS, max_tokens=256)
    return ensure_space(spec).pk


@pytest.fixture
def crowd(space_id):
    """Give 2,000 chunks of random vectors, every tenth in the source `legal`."""
    general = DocumentFactory(source=SourceFactory(name="general"))
    legal = DocumentFactory(source=SourceFactory(name="legal"))
    vectors = np.random.default_rng(7).normal(size=(CHUNK_COUNT, DIMENSIONS))
    literals = [f"[{','.join(f'{number:.6f}' for number in vector)}]" for vector in vectors]
    parameters = {
        "general": general.pk,
        "legal": legal.pk,
        "share": LEGAL_SHARE,
        "vectors": literals,
        "space_id": space_id,
    }
    with connection.cursor() as cursor:
        cursor.execute(INSERT_CROWD, parameters)
        cursor.execute("ANALYZE knowledge_chunk")
        cursor.execute("ANALYZE knowledge_chunkembedding")
    return Filters(access_tags=EVERYONE, source_ids=(legal.source_id,))


INSERT_CROWD = """
with chunk as (
    insert into knowledge_chunk (
        document_id, position, text, prefix, heading_path, start, "end", token_count, content_hash,
        extra_terms, search_vector, is_switched_off, is_active, source_id, source_type_id, language,
        access_tags, entity_ids
    )
    select
        document.id, n, 'spam', '', '{}', 0, 4, 1, n::text, '', 'spam:1', false, true,
        document.source_id, source.source_type_id, 'english', '{everyone}', '{}'
    from generate_series(1, cardinality(%(vectors)s::text[])) as n
    join knowledge_document as document
        on document.id = case when n %% %(share)s = 0 then %(legal)s else %(general)s end
    join knowledge_source as source on source.id = document.source_id
    returning id, position
)
insert into knowledge_chunkembedding (space_id, chunk_id, vector)
select %(space_id)s, chunk.id, (%(vectors)s::text[])[chunk.position]::vector
from chunk
"""
UNFILTERED = Filters(access_tags=EVERYONE)
# A scan of the index that gives up at once, so that everything is compared after all.
TIGHT = RetrievalSettings(hnsw_ef_search=10, hnsw_max_scan_tuples=1)


@pytest.fixture
def without_sorting(db):
    """Let the planner choose the HNSW index as it would on a large table."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_sort = off")


def ask(space_id, filters, *, depth, is_narrow, settings=None, seed=1):
    settings = settings or RetrievalSettings()
    vector = np.random.default_rng(seed).normal(size=DIMENSIONS).astype(np.float32)
    with search_session(settings, depth=depth):
        result = find_by_vector(
            vector / np.linalg.norm(vector),
            space_id=space_id,
            filters=filters,
            depth=depth,
            min_similarity=-1.0,
            is_narrow=is_narrow,
        )
    assert result.is_exact is (is_narrow or len(result.candidates) < depth or settings is TIGHT)
    return [candidate.chunk_id for candidate in result.candidates]


def test_find_by_vector__a_filter_never_leaves_too_few(space_id, crowd, without_sorting):
    found = ask(space_id, crowd, depth=30, is_narrow=False)
    exact = ask(space_id, crowd, depth=30, is_narrow=True)
    assert len(set(found)) == 30
    assert len(set(found) & set(exact)) >= 29
    assert ask(space_id, crowd, depth=10, is_narrow=False) == found[:10]


@pytest.mark.parametrize("share", [0.5, 0.1, 0.01, 0.001])
def test_find_by_vector__recall_within_filters(space_id, crowd, without_sorting, share):
    """The dates of the passages have nothing to do with their vectors."""
    left = int(CHUNK_COUNT * share)
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE knowledge_chunk SET published_at = %s + position * interval '1 minute'", [NOW]
        )
    early = Filters(access_tags=EVERYONE, until=NOW + timedelta(minutes=left + 1))
    recalls = []
    for seed in range(50):
        found = ask(space_id, early, depth=10, is_narrow=False, seed=seed)
        exact = ask(space_id, early, depth=10, is_narrow=True, seed=seed)
        assert len(set(found)) == len(exact) == min(10, left)
        recalls.append(len(set(found) & set(exact)) / len(exact))
    assert np.mean(recalls) >= 0.95


def test_find_by_vector__rows_deleted_since_leave_no_gap(space_id, crowd, without_sorting):
    """The index still holds the 40 nearest, as many as pgvector looks at unless it is told."""
    nearest = ask(space_id, UNFILTERED, depth=50, is_narrow=True)
    Chunk.objects.filter(pk__in=nearest[:40]).delete()
    settings = RetrievalSettings(hnsw_ef_search=40)
    found = ask(space_id, UNFILTERED, depth=10, is_narrow=False, settings=settings)
    assert found == nearest[40:]


def test_find_by_vector__without_its_index_it_is_slower_not_wrong(space_id, crowd):
    with connection.cursor() as cursor:
        cursor.execute(f"DROP INDEX chunkembedding_hnsw_space_{space_id}")
    found = ask(space_id, UNFILTERED, depth=100, is_narrow=False)
    assert found == ask(space_id, UNFILTERED, depth=100, is_narrow=True)


def test_find_by_vector__as_many_as_asked_for(space_id, crowd, without_sorting):
    assert len(set(ask(space_id, UNFILTERED, depth=100, is_narrow=False))) == 100
    assert len(set(ask(space_id, UNFILTERED, depth=500, is_narrow=False))) == 500


def test_find_by_vector__recall_without_filter(space_id, crowd, without_sorting):
    recalls = []
    for seed in range(20):
        found = ask(space_id, UNFILTERED, depth=10, is_narrow=False, seed=seed)
        exact = ask(space_id, UNFILTERED, depth=10, is_narrow=True, seed=seed)
        recalls.append(len(set(found) & set(exact)) / 10)
    assert np.mean(recalls) >= 0.95


def test_find_by_vector__a_scan_that_gave_up_is_done_over_exactly(space_id, crowd, without_sorting):
    exact = ask(space_id, crowd, depth=100, is_narrow=True)
    assert ask(space_id, crowd, depth=100, is_narrow=False, settings=TIGHT) == exact


def test_find_by_vector__what_is_less_similar_is_left_out(space_id, crowd):
    vector = np.eye(DIMENSIONS, dtype=np.float32)[0]
    result = find_by_vector(
        vector,
        space_id=space_id,
        filters=crowd,
        depth=200,
        min_similarity=0.3,
        is_narrow=True,
    )
    assert 0 < len(result.candidates) < 200
    assert min(candidate.score for candidate in result.candidates) >= 0.3


def test_measure_scope__counts_up_to_the_limit(crowd):
    assert measure_scope(crowd, limit=200) == Scope(size=200, limit=200)
    assert measure_scope(crowd, limit=200).is_narrow
    assert measure_scope(crowd, limit=150) == Scope(size=151, limit=150)
    assert not measure_scope(crowd, limit=150).is_narrow
    assert not measure_scope(UNFILTERED, limit=1_999).is_narrow


def test_measure_scope__trusts_the_planner_where_it_expects_far_more(crowd):
    scope = measure_scope(UNFILTERED, limit=100)
    assert scope.size > 400
    assert not scope.is_narrow


def test_measure_scope__what_is_wide_is_not_asked_again(crowd, django_assert_num_queries):
    wide = measure_scope(UNFILTERED, limit=90)
    with django_assert_num_queries(0):
        assert measure_scope(UNFILTERED, limit=90) == wide
    assert measure_scope(replace(UNFILTERED, source_ids=(10**9,)), limit=90).size == 0


def plan(name, filters, **parameters):
    with connection.cursor() as cursor:
        text = statement(name)
        for key in ("space_id", "dimensions"):
            text = text.replace(f"{{{key}}}", str(parameters.pop(key, "")))
        cursor.execute(f"EXPLAIN {text}", {**filter_parameters(filters), **parameters})
        return "\n".join(line for (line,) in cursor.fetchall())


def test_vector_approximate__goes_through_the_index_of_the_space(space_id, crowd, without_sorting):
    vector = str([1.0] * DIMENSIONS)
    text = plan(
        "vector_approximate",
        UNFILTERED,
        space_id=space_id,
        dimensions=DIMENSIONS,
        vector=vector,
        depth=10,
    )
    assert f"Index Scan using chunkembedding_hnsw_space_{space_id}" in text


def test_vector_exact__does_not_go_through_the_index_of_the_space(space_id, crowd):
    vector = str([1.0] * DIMENSIONS)
    text = plan("vector_exact", crowd, space_id=space_id, vector=vector, depth=10)
    assert "hnsw" not in text
    assert "knowledge_chunk_source_id" in text


def test_vector_scores__goes_through_the_index_of_chunks(space_id, crowd):
    vector = str([1.0] * DIMENSIONS)
    text = plan("vector_scores", UNFILTERED, space_id=space_id, vector=vector, chunk_ids=[1, 2, 3])
    assert "chunkembedding_unique" in text or "knowledge_chunkembedding_chunk_id" in text
