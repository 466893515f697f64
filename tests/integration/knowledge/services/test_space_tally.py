"""How many passages and vectors there are."""

import pytest
from django.db import connection

from knowledge.models import Chunk, ChunkEmbedding, EmbeddingSpace
from knowledge.services import space_tally
from knowledge.services.space_tally import tally_passages, tally_vectors
from knowledge.services.spaces import create_index
from tests.factories.cachemgr import EmbeddingSpaceFactory
from tests.factories.knowledge import ChunkFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def spaces():
    """Store four passages, with a vector each in a model with an index, and two being filled in."""
    full = EmbeddingSpaceFactory()
    create_index(full)
    chunks = [ChunkFactory() for _ in range(4)]
    building = EmbeddingSpace.objects.create(
        provider="x", model="y", dimensions=3, filled_to=chunks[1].pk
    )
    for space, embedded in ((full, chunks), (building, chunks[:2])):
        for chunk in embedded:
            ChunkEmbedding.objects.create(chunk=chunk, space=space, vector=[1.0, 0.0, 0.0])
    return full, building


def words(spaces):
    passages = tally_passages()
    tallies = tally_vectors(spaces, passages)
    return [str(passages), *(str(tallies[space.pk]) for space in spaces)]


def test_tally__counts_while_they_are_few(spaces):
    assert Chunk.objects.count() == 4
    assert words(spaces) == ["4", "4", "2"]
    assert tally_vectors([], tally_passages()) == {}


def test_tally__estimates_beyond_the_limit(spaces, monkeypatch):
    monkeypatch.setattr(space_tally, "COUNTED_AT_MOST", 1)
    with connection.cursor() as cursor:
        cursor.execute("analyze knowledge_chunk, knowledge_chunkembedding")
    # Of the one being built a third of the range of ids is filled in: at least the 2 counted.
    assert words(spaces) == ["about 4", "about 4", "about 2"]
