"""Which model the stored vectors belong to."""

from dataclasses import replace

import pytest
from django.db import connection

from knowledge.embedding.hashing import HashingEmbedder
from knowledge.exceptions import SpaceMismatchError
from knowledge.models import ChunkEmbedding, Document, EmbeddingSpace, SpaceStatus
from knowledge.services import active_space, ensure_space

SPEC = HashingEmbedder().spec
OTHER = replace(SPEC, model="hashed-words-2")


def index_of(space):
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexdef FROM pg_indexes WHERE indexname = %s", [space.index_name])
        return cursor.fetchone()


def test_ensure_space__first_makes_and_activates(db):
    space = ensure_space(SPEC)

    assert space.status == SpaceStatus.ACTIVE
    assert space.activated_at is not None
    assert ensure_space(SPEC) == space
    assert active_space(SPEC) == space
    (definition,) = index_of(space)
    assert "hnsw (((vector)::halfvec(384)) halfvec_cosine_ops)" in definition
    assert f"WHERE (space_id = {space.pk})" in definition


def test_ensure_space__vectors_of_two_models_do_not_mix(shelf):
    """Case B23: the same width, another model."""
    shelf.store(text="Blue lantern policy")
    shelf.embedder._spec = OTHER
    expected = (
        r"hashing hashed-words-1 \(384 numbers\).* hashing hashed-words-2 \(384\)"
        r".*Set EMBEDDING_PROVIDER=hashing and EMBEDDING_MODEL=hashed-words-1 again"
    )

    with pytest.raises(SpaceMismatchError, match=expected):
        shelf.store("b.md", "Green lantern policy")
    with pytest.raises(SpaceMismatchError, match=expected):
        active_space(OTHER)

    assert Document.objects.count() == ChunkEmbedding.objects.count() == 1


def test_ensure_space__an_empty_one_gives_way(db):
    first = ensure_space(SPEC)

    second = ensure_space(replace(SPEC, dimensions=64))

    first.refresh_from_db()
    assert (first.status, second.status) == (SpaceStatus.RETIRED, SpaceStatus.ACTIVE)
    assert ensure_space(SPEC) == first
    assert EmbeddingSpace.objects.filter(status=SpaceStatus.ACTIVE).get() == first


def test_active_space__before_the_first_document(db):
    with pytest.raises(SpaceMismatchError, match="Nothing is embedded yet"):
        active_space(SPEC)


def test_ensure_space__the_index_answers_nearest_questions(shelf):
    for number in range(30):
        shelf.store(f"{number}.md", f"Policy number {number} about lanterns")
    space = active_space(SPEC)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_sort = off")
        cursor.execute(
            "EXPLAIN SELECT chunk_id FROM knowledge_chunkembedding"
            f" WHERE space_id = {space.pk}"
            " ORDER BY vector::halfvec(384) <=> array_fill(0.1, ARRAY[384])::halfvec(384) LIMIT 3"
        )
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert space.index_name in plan
