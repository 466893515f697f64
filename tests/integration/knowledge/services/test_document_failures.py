"""Failures while a document is stored: the version before stays."""

import pytest

from knowledge.exceptions import EmbeddingError, InvalidVectorError
from knowledge.models import Chunk, ChunkEmbedding, Document, DocumentBody, DocumentStatus
from knowledge.services import Outcome, reindex_document
from knowledge.signals import content_changed
from tests.integration.knowledge.services.stored import found_by_words, texts_of


def test_store_document__failed_update_keeps_the_old_version(shelf):
    """Case B21."""
    shelf.store("hours.md", "Open until 18:00.")
    shelf.embedder.is_broken = True

    with pytest.raises(EmbeddingError):
        shelf.store("hours.md", "Open until 20:00.")

    document = Document.objects.get()
    assert found_by_words("18:00") == {"Open until 18:00."}
    assert document.status == DocumentStatus.FAILED
    assert document.status_reason == (
        "Update failed: the server answers 500; the old version is still shown."
    )

    shelf.embedder.is_broken = False
    retried = shelf.store("hours.md", "Open until 20:00.")

    assert retried.outcome == Outcome.UPDATED
    assert texts_of(document.pk) == ["Open until 20:00."]
    assert Document.objects.get().status == DocumentStatus.READY

    calls = shelf.embedder.calls
    emptied = shelf.store("hours.md", " \n ")

    document.refresh_from_db()
    assert (emptied.status, emptied.chunk_count) == (DocumentStatus.NEEDS_ATTENTION, 0)
    assert emptied.needs_attention
    assert document.status_reason == "The document has no text."
    assert not Chunk.objects.exists()
    assert not ChunkEmbedding.objects.exists()
    assert shelf.embedder.calls == calls


def test_store_document__back_to_the_old_text_after_a_failure(shelf):
    shelf.store("hours.md", "Open until 18:00.")
    shelf.embedder.is_broken = True
    with pytest.raises(EmbeddingError):
        shelf.store("hours.md", "Open until 20:00.")

    outcome = shelf.store("hours.md", "Open until 18:00.")

    assert (outcome.outcome, outcome.status) == (Outcome.UPDATED, DocumentStatus.READY)


@pytest.mark.parametrize(
    ("numbers", "fault"),
    [([0.0] * 384, "is zero"), ([float("nan")] * 384, "NaN"), ([1.0] * 3, "3")],
    ids=["zero", "no number", "too narrow"],
)
def test_store_document__an_unusable_vector_stores_nothing_by_halves(
    shelf, monkeypatch, numbers, fault
):
    monkeypatch.setattr(shelf.embedder, "embed_passages", lambda texts: [numbers for _ in texts])

    with pytest.raises(InvalidVectorError, match=fault):
        shelf.store(text="Blue lantern policy")

    assert Document.objects.get().status == DocumentStatus.FAILED
    assert not Chunk.objects.exists()
    assert not ChunkEmbedding.objects.exists()
    assert not DocumentBody.objects.exists()


def test_store_document__a_receiver_that_fails_undoes_the_change(shelf):
    shelf.store(text="Blue lantern policy")

    def refuse(sender, change, **_):
        message = "cache is away"
        raise RuntimeError(message)

    content_changed.connect(refuse)
    try:
        with pytest.raises(RuntimeError, match="cache is away"):
            shelf.store(text="Green lantern policy")
    finally:
        content_changed.disconnect(refuse)

    assert list(Chunk.objects.values_list("text", flat=True)) == ["Blue lantern policy"]
    assert Document.objects.get().status == DocumentStatus.READY


def test_reindex_document__a_failed_update_stays_failed(shelf):
    shelf.store("hours.md", "Open until 18:00.")
    shelf.embedder.is_broken = True
    with pytest.raises(EmbeddingError):
        shelf.store("hours.md", "Open until 20:00.")
    shelf.embedder.is_broken = False
    tools = {name: value for name, value in shelf.tools.items() if name != "source"}

    outcome = reindex_document(document=Document.objects.get(), **tools)

    assert outcome.needs_attention
    assert Document.objects.get().status_reason.startswith("Update failed")
