"""Vectors of new passages, in every space that is kept up to date."""

import pytest

from knowledge.embedding.registry import get_embedder
from knowledge.exceptions import EmbeddingError
from knowledge.models import Chunk, ChunkEmbedding, EmbeddingSpace, SpaceStatus
from knowledge.services import ensure_space, vectors
from knowledge.services.spaces import SWITCHED_TO, find_answering, settings_note


def add_space(status=SpaceStatus.BUILDING, dimensions=64):
    return EmbeddingSpace.objects.create(
        provider="hashing", model="hashed-words-1", dimensions=dimensions, status=status
    )


def counts():
    """Return how many vectors each space has, by width, and that no chunk has two in one."""
    rows = ChunkEmbedding.objects.values_list("space__dimensions", "chunk_id", "vector")
    for dimensions, _, vector in rows:
        assert len(vector) == dimensions
    assert len({row[:2] for row in rows}) == len(rows)
    widths = [row[0] for row in rows]
    return {width: widths.count(width) for width in sorted(set(widths))}


def switch(new):
    EmbeddingSpace.objects.filter(status=SpaceStatus.ACTIVE).update(status=SpaceStatus.READY)
    options = {SWITCHED_TO: True}
    EmbeddingSpace.objects.filter(pk=new.pk).update(status=SpaceStatus.ACTIVE, options=options)


@pytest.fixture(autouse=True)
def rested(monkeypatch):
    monkeypatch.setattr(vectors, "_resting_until", {})


@pytest.mark.parametrize("status", [SpaceStatus.BUILDING, SpaceStatus.READY])
def test_new_passages__are_embedded_for_both(shelf, status):
    shelf.store(text="Blue lantern policy")
    add_space(status)

    shelf.store("b.md", "Green lantern policy")
    shelf.store("a.md", "Blue lantern policy, second edition")

    assert Chunk.objects.count() == 2
    assert counts() == {64: 2, 384: 2}


def test_new_passages__a_retired_space_gets_none(shelf):
    add_space(SpaceStatus.RETIRED)
    shelf.store(text="Blue lantern policy")

    assert counts() == {384: 1}


def test_new_passages__a_second_model_that_fails_stops_nobody(shelf, monkeypatch):
    space = add_space()
    asked = []

    class Broken:
        def embed_passages(self, texts):
            asked.append(texts)
            raise EmbeddingError

    monkeypatch.setattr(vectors, "embedder_of", lambda _space: Broken())
    for name in "abc":
        assert shelf.store(f"{name}.md", f"{name} lantern").status == "ready"

    assert counts() == {384: 3}
    assert len(asked) == 1
    assert space.embeddings.count() == 0


def test_new_passages__the_model_is_switched_between_embedding_and_writing(shelf, monkeypatch):
    shelf.store(text="Blue lantern policy")
    shelf.embedder = get_embedder()
    new = add_space(SpaceStatus.READY)
    embed = vectors.embed_texts

    def embed_then_switch(texts, embedder):
        made = embed(texts, embedder)
        if new is not None and embedder.spec.dimensions == 384:
            monkeypatch.setattr(vectors, "KEPT", (SpaceStatus.READY,))
            switch(new)
        return made

    # Nothing is embedded for the new space at first, as if it had come later.
    monkeypatch.setattr(vectors, "KEPT", ())
    monkeypatch.setattr(vectors, "embed_texts", embed_then_switch)

    assert shelf.store("b.md", "Green lantern policy").status == "ready"

    assert counts() == {64: 1, 384: 2}
    assert Chunk.objects.filter(document__external_id="b.md").count() == 1


def test_find_answering__follows_the_switch_and_an_earlier_one_stays_whole(shelf):
    shelf.store(text="Blue lantern policy")
    old = ensure_space(shelf.embedder.spec)
    following = get_embedder()
    concrete = following.current()
    assert find_answering(following)[0] == old

    new = add_space(SpaceStatus.READY)
    switch(new)

    space, embedder = find_answering(following)
    assert (space, embedder.spec.dimensions) == (new, 64)
    assert find_answering(concrete) == (old, concrete)


def test_settings_note__only_where_another_model_is_named(shelf, settings):
    space = ensure_space(shelf.embedder.spec)
    assert settings_note(space) == ""
    settings.CRMIND_KNOWLEDGE = {"EMBEDDING_PROVIDER": "openai", "EMBEDDING_MODEL": "embed-1"}

    assert settings_note(space).startswith("The settings name the embedding model openai embed-1,")
