"""System checks of the stored vectors and the indexes."""

import pytest
from django.core.checks import run_checks
from django.db import IntegrityError, connection

from knowledge.embedding.hashing import HashingEmbedder
from knowledge.models import ChunkEmbedding
from knowledge.services import ensure_space
from knowledge.services.spaces import create_index
from tests.factories.knowledge import ChunkFactory


def found():
    """Return our messages, by id."""
    messages = run_checks(databases=["default"])
    return {message.id: message for message in messages if message.id.startswith("knowledge.")}


def execute(statement):
    with connection.cursor() as cursor:
        cursor.execute(statement)


def test_checks__nothing_to_say(db):
    assert found() == {}
    ensure_space(HashingEmbedder().spec)
    assert found() == {}


def test_checks__silent_without_a_database(db):
    assert not [message for message in run_checks() if message.id.startswith("knowledge.")]


def test_check_embedding_space__another_model(db, settings):
    ensure_space(HashingEmbedder().spec)
    settings.CRMIND_KNOWLEDGE = {"EMBEDDING_PROVIDER": "hashing", "EMBEDDING_DIMENSIONS": 64}

    message = found()["knowledge.W001"]

    assert message.msg == (
        "The settings name the embedding model hashing hashed-words-1 (64 numbers), but the stored"
        " vectors were made by hashing hashed-words-1 (384 numbers), which goes on being used."
    )


def test_check_vector_index__missing(db):
    space = ensure_space(HashingEmbedder().spec)
    execute(f"DROP INDEX {space.index_name}")

    message = found()["knowledge.W002"]

    assert f"CREATE INDEX {space.index_name} ON knowledge_chunkembedding" in message.hint
    create_index(space)
    assert found() == {}


def test_check_vector_index__half_built(transactional_db):
    space = ensure_space(HashingEmbedder().spec)
    ChunkEmbedding.objects.bulk_create(
        ChunkEmbedding(space=space, chunk=ChunkFactory(), vector=[1.0] * 384) for _ in range(2)
    )
    execute(f"DROP INDEX {space.index_name}")
    # It fails for two rows of one space, and leaves an index that is not valid.
    with pytest.raises(IntegrityError):
        execute(
            f"CREATE UNIQUE INDEX CONCURRENTLY {space.index_name}"
            " ON knowledge_chunkembedding (space_id)"
        )

    assert list(found()) == ["knowledge.W002"]

    execute(f"DROP INDEX {space.index_name}")


@pytest.mark.parametrize("name", ["chunk_search_vector", "chunk_repeated_terms"])
def test_check_text_index__missing(db, name):
    execute(f"DROP INDEX {name}")

    message = found()["knowledge.W003"]

    statement = message.hint.split(": ", 1)[1]
    execute(statement)
    assert found() == {}
