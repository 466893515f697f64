"""Going over to another embedding model, and back."""

from datetime import UTC, datetime

import numpy as np
import pytest
from django.db import connection

from knowledge.embedding.choice import ModelChoice
from knowledge.embedding.hashing import HashingEmbedder
from knowledge.embedding.registry import get_embedder
from knowledge.exceptions import (
    ConfirmationMissingError,
    EmbeddingError,
    InvalidVectorError,
    ReembeddingError,
)
from knowledge.models import Chunk, ChunkEmbedding, EmbeddingSpace, SpaceStatus
from knowledge.services import ensure_space, reembedding
from knowledge.services.reembedding import (
    FillOutcome,
    begin_reembedding,
    fill_space,
    request_stop,
    resume_filling,
)
from knowledge.services.space_estimate import estimate_reembedding
from knowledge.services.space_index import drop_index, has_valid_index
from knowledge.services.space_switch import drop_space, previous_space, switch_space
from knowledge.signals import SpaceComparison, spaces_compared

NOW = datetime(2031, 7, 20, 12, tzinfo=UTC)
NARROW = ModelChoice(provider="hashing", model="hashed-words-1", dimensions=64)


@pytest.fixture
def stock(transactional_db, shelf, monkeypatch):
    """Seven documents, filled in by threes."""
    monkeypatch.setattr(reembedding, "BATCH_CHUNKS", 3)
    for number in range(7):
        shelf.store(f"{number}.md", f"Policy number {number} about lanterns")
    return shelf


def nothing(_progress):
    """Tell nobody."""


def widths():
    """Return the number of chunks with a vector, by width."""
    found = {}
    for space in EmbeddingSpace.objects.all():
        chunks = list(space.embeddings.values_list("chunk_id", flat=True))
        assert len(chunks) == len(set(chunks))
        found[space.dimensions] = len(chunks)
    return found


def active():
    return EmbeddingSpace.objects.get(status=SpaceStatus.ACTIVE)


def test_fill_space__to_the_end_then_switched_back_and_dropped(stock):
    old = active()
    told = []
    space = begin_reembedding(NARROW)

    assert fill_space(space, on_progress=told.append) is FillOutcome.READY

    assert [progress.done for progress in told] == [0, 3, 6, 7]
    assert {progress.total for progress in told} == {7}
    assert widths() == {64: 7, 384: 7}
    space.refresh_from_db()
    assert (space.status, active()) == (SpaceStatus.READY, old)
    assert has_valid_index(space)
    chunk = Chunk.objects.get(document__external_id="3.md")
    expected = HashingEmbedder(dimensions=64).embed_passages(["Policy number 3 about lanterns"])
    assert np.allclose(space.embeddings.get(chunk=chunk).vector, expected[0], atol=1e-6)

    assert switch_space(space=space, now=NOW) == old
    assert active() == space
    assert get_embedder().spec.dimensions == 64

    assert previous_space() == old
    switch_space(space=previous_space(), now=NOW, is_forced=True)
    assert active() == old

    with pytest.raises(ReembeddingError, match="is in use"):
        drop_space(space=old, is_confirmed=True)
    with pytest.raises(ConfirmationMissingError):
        drop_space(space=space)
    assert drop_space(space=space, is_confirmed=True) == 7
    assert widths() == {64: 0, 384: 7}
    assert not has_valid_index(space)
    with pytest.raises(ReembeddingError, match="no earlier model"):
        previous_space()


def test_fill_space__what_comes_goes_and_changes_meanwhile(stock):
    """Each write happens between two batches, as another process would do it."""
    stock.embedder = get_embedder()
    space = begin_reembedding(NARROW)

    def change(progress):
        if progress.done == 3:
            stock.store("new.md", "A new lantern")
            stock.store("6.md", "Policy number 6 was written anew")
            Chunk.objects.filter(document__external_id__in=["0.md", "4.md"]).delete()

    assert fill_space(space, on_progress=change) is FillOutcome.READY

    assert Chunk.objects.count() == 6
    assert widths() == {64: 6, 384: 6}


def test_fill_space__a_chunk_written_by_one_who_did_not_know_the_space(stock):
    space = begin_reembedding(NARROW)
    fill_space(space, on_progress=nothing)
    ChunkEmbedding.objects.filter(space=space, chunk__document__external_id="2.md").delete()

    switch_space(space=space, now=NOW)

    assert widths() == {64: 7, 384: 7}


def test_switch_space__only_a_complete_one(stock):
    space = begin_reembedding(NARROW)
    ChunkEmbedding.objects.bulk_create(
        ChunkEmbedding(space=space, chunk=chunk, vector=[1.0] * 64) for chunk in Chunk.objects.all()
    )
    with pytest.raises(ReembeddingError, match="not complete"):
        switch_space(space=space, now=NOW)

    fill_space(space, on_progress=nothing)
    drop_index(space)
    with pytest.raises(ReembeddingError, match="not complete"):
        switch_space(space=space, now=NOW)
    assert active().dimensions == 384


def test_fill_space__stopped_and_resumed(stock):
    space = begin_reembedding(NARROW)
    request_stop(space)
    assert fill_space(space, on_progress=nothing) is FillOutcome.STOPPED
    assert widths() == {64: 3, 384: 7}

    resume_filling(space)
    assert fill_space(space, on_progress=nothing, seconds=0.0) is FillOutcome.PAUSED
    assert fill_space(space, on_progress=nothing) is FillOutcome.READY
    assert widths() == {64: 7, 384: 7}


def test_fill_space__by_one_process_at_a_time(stock, monkeypatch):
    monkeypatch.setattr(reembedding, "LOCK_SECONDS", 0.1)
    space = begin_reembedding(NARROW)
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s, %s)", [reembedding.FILL_LOCK, space.pk])
        with pytest.raises(ReembeddingError, match="being filled by another process"):
            fill_space(space, on_progress=nothing)
    finally:
        other.close()
    # The lock of a process that is gone is free, soon.
    monkeypatch.setattr(reembedding, "LOCK_SECONDS", 10.0)
    assert fill_space(space, on_progress=nothing) is FillOutcome.READY


@pytest.mark.parametrize("fault", [EmbeddingError, InvalidVectorError])
def test_fill_space__a_fault_is_told_and_does_not_lose_what_was_done(stock, monkeypatch, fault):
    space = begin_reembedding(NARROW)
    embed = HashingEmbedder.embed_passages

    def fail(self, texts):
        if any("number 4" in text for text in texts):
            message = "no vector for that"
            raise fault(message)
        return embed(self, texts)

    monkeypatch.setattr(HashingEmbedder, "embed_passages", fail)
    with pytest.raises(fault, match="no vector for that"):
        fill_space(space, on_progress=nothing)

    space.refresh_from_db()
    assert widths() == {64: 3, 384: 7}
    chunk = Chunk.objects.get(document__external_id="4.md")
    named = f"Passage {chunk.pk}: " if fault is InvalidVectorError else ""
    assert space.fault == f"{named}no vector for that"

    monkeypatch.setattr(HashingEmbedder, "embed_passages", embed)
    assert fill_space(space, on_progress=nothing) is FillOutcome.READY
    space.refresh_from_db()
    assert (space.fault, widths()) == ("", {64: 7, 384: 7})


def test_begin_reembedding__refusals(stock):
    with pytest.raises(ReembeddingError, match=r"hashed-words-1 \(384\) is the model in use"):
        begin_reembedding(ModelChoice(provider="hashing", model="hashed-words-1"))
    space = begin_reembedding(NARROW)
    assert begin_reembedding(NARROW) == space
    with pytest.raises(ReembeddingError, match=r"\(64\) is being built"):
        begin_reembedding(ModelChoice(provider="hashing", model="hashed-words-1", dimensions=8))


def test_begin_reembedding__one_that_was_dropped_begins_anew(stock):
    space = begin_reembedding(NARROW)
    fill_space(space, on_progress=nothing)
    drop_space(space=space, is_confirmed=True)

    assert begin_reembedding(NARROW) == space
    assert fill_space(space, on_progress=nothing) is FillOutcome.READY
    assert widths() == {64: 7, 384: 7}


def test_begin_reembedding__before_the_first_document(transactional_db):
    with pytest.raises(ReembeddingError, match="Nothing is embedded yet"):
        begin_reembedding(NARROW)


def test_switch_space__a_loss_on_golden_questions_has_to_be_insisted_on(stock):
    def compare(**_):
        return SpaceComparison(question_count=20, old_ndcg=0.80, new_ndcg=0.77, worse=3)

    spaces_compared.connect(compare)
    try:
        space = begin_reembedding(NARROW)
        fill_space(space, on_progress=nothing)
    finally:
        spaces_compared.disconnect(compare)

    space.refresh_from_db()
    assert space.comparison == {
        "with": "hashed-words-1 (384)",
        "question_count": 20,
        "old_ndcg": 0.8,
        "new_ndcg": 0.77,
        "better": 0,
        "worse": 3,
    }
    with pytest.raises(ReembeddingError, match=r"nDCG@10 0\.770 instead of 0\.800 on 20"):
        switch_space(space=space, now=NOW)
    switch_space(space=space, now=NOW, is_forced=True)
    assert active() == space


def test_estimate_reembedding__counts_what_is_missing(stock, settings):
    settings.CRMIND_KNOWLEDGE = {
        "EMBEDDING_PROVIDER": "hashing",
        "EMBEDDING_PRICE_PER_MILLION_TOKENS": 2_000_000.0,
    }
    estimate = estimate_reembedding(NARROW)

    # 5 tokens each: Policy, number, 3, about, lanterns.
    assert (estimate.passage_count, estimate.missing_count, estimate.tokens) == (7, 7, 35)
    assert (estimate.price, estimate.sample_count, estimate.too_long_count) == (70.0, 7, 0)
    assert estimate.seconds > 0
    assert EmbeddingSpace.objects.count() == 1

    space = begin_reembedding(NARROW)
    request_stop(space)
    fill_space(space, on_progress=nothing)
    assert estimate_reembedding(NARROW).missing_count == 4


def test_ensure_space__an_emptied_stock_keeps_the_model_switched_to(stock):
    space = begin_reembedding(NARROW)
    fill_space(space, on_progress=nothing)
    switch_space(space=space, now=NOW)
    Chunk.objects.all().delete()
    stock.embedder = get_embedder()

    stock.store("9.md", "Policy number 9 about lanterns")

    assert active() == space
    assert ensure_space(HashingEmbedder(dimensions=64).spec) == space
