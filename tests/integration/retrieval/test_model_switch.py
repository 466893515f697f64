"""A change of the embedding model that is killed again and again, while others search and write.

`CRMIND_FAULT_CHUNKS=5000` runs it in full: killed at 30, 60 and 90 %.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.db import connection

from knowledge.embedding.choice import ModelChoice
from knowledge.embedding.registry import get_embedder, get_tokenizer
from knowledge.ingestion.types import ParsedDocument
from knowledge.models import Chunk, ChunkEmbedding, EmbeddingSpace, SpaceStatus
from knowledge.services import store_document, store_documents
from knowledge.services.reembedding import FillOutcome, begin_reembedding, fill_space
from knowledge.services.space_switch import drop_space, previous_space, switch_space
from retrieval.pipeline import search
from retrieval.query.parse import SearchRequest
from retrieval.seed import seed_profiles
from tests.factories.knowledge import SourceFactory
from tests.integration.knowledge import reembedding_child

ROOT = Path(__file__).resolve().parents[3]
CHUNKS = int(os.environ.get("CRMIND_FAULT_CHUNKS", "120"))
KILLED_AT = (0.3, 0.6, 0.9) if CHUNKS >= 1_000 else (0.5,)
BATCH = max(10, CHUNKS // 40)
NOW = datetime(2031, 7, 20, 12, tzinfo=UTC)
NARROW = ModelChoice(provider="hashing", model="hashed-words-1", dimensions=64)
WORDS = [
    "pump",
    "valve",
    "lantern",
    "grail",
    "rabbit",
    "castle",
    "swallow",
    "coconut",
    "shrubbery",
    "parrot",
]


@pytest.fixture
def source(transactional_db, seeded):
    """As many documents of one passage as are asked for."""
    seed_profiles()
    source = SourceFactory(name="shelf")
    texts = (
        f"The {WORDS[n % 10]} number {n} stands by the {WORDS[n // 10 % 10]} of hall {n // 100}."
        for n in range(CHUNKS)
    )
    parsed = (ParsedDocument(external_id=f"{n}.md", text=text) for n, text in enumerate(texts))
    for outcome in store_documents(source=source, parsed=parsed, **tools()):
        assert outcome.status == "ready"
    return source


def tools():
    return {"embedder": get_embedder(), "tokenizer": get_tokenizer(), "now": NOW}


@contextmanager
def searching():
    """Search in a thread of its own all the while; yield what went wrong and the spaces used."""
    ended = threading.Event()
    faults, counts = [], []

    def ask():
        try:
            while not ended.is_set():
                result = search(
                    SearchRequest(question="Where is the lantern number 2?"),
                    reader_tags=frozenset({"everyone"}),
                    now=NOW,
                )
                similar = [hit for hit in result.hits if hit.receipt.vector_rank is not None]
                if result.is_degraded or not result.hits or not similar:
                    faults.append(result.warnings)
                counts.append(len(result.hits))
        except Exception as error:  # noqa: BLE001 # told by the test
            faults.append(repr(error))
        finally:
            connection.close()

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield faults, counts
    finally:
        ended.set()
        thread.join()


def fill_and_kill(space, *, share):
    """Start filling in another process and kill it once that share is done."""
    arguments = [connection.settings_dict["NAME"], space.pk, BATCH, 0.05]
    child = subprocess.Popen(
        [sys.executable, reembedding_child.__file__, *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "EMBEDDING_PROVIDER": "hashing", "PYTHONPATH": str(ROOT)},
    )
    while space.embeddings.count() < share * CHUNKS:
        assert child.poll() is None, "it ended before it was killed"
        time.sleep(0.01)
    child.send_signal(signal.SIGKILL)
    child.wait()


def test_model_switch__killed_and_resumed_while_others_search_and_write(source):
    old = EmbeddingSpace.objects.get(status=SpaceStatus.ACTIVE)
    space = begin_reembedding(NARROW)
    with searching() as (faults, counts):
        for number, share in enumerate(KILLED_AT):
            fill_and_kill(space, share=share)
            filled = space.embeddings.count()
            assert share * CHUNKS <= filled < CHUNKS
            parsed = ParsedDocument(external_id=f"new {number}", text=f"A new lantern {number}.")
            assert store_document(source=source, parsed=parsed, **tools()).status == "ready"
        done = []
        assert fill_space(space, on_progress=done.append) is FillOutcome.READY
        assert done[0].done == filled + 1
        check_whole(old, space)
        switch_space(space=space, now=NOW)
        store_document(
            source=source, parsed=ParsedDocument(external_id="last", text="The last."), **tools()
        )
        check_whole(old, space)
        switch_space(space=previous_space(), now=NOW, is_forced=True)
        switch_space(space=space, now=NOW)
        drop_space(space=old, is_confirmed=True)
        seen = len(counts)
        while len(counts) < seen + 3 and not faults:
            time.sleep(0.01)
    assert faults == []
    assert min(counts) > 0
    assert ChunkEmbedding.objects.filter(space=old).count() == 0


def check_whole(*spaces):
    """Check that every chunk has exactly one vector in each space, as wide as the space is."""
    chunks = set(Chunk.objects.values_list("pk", flat=True))
    for space in spaces:
        rows = space.embeddings.values_list("chunk_id", "vector")
        assert len(rows) == len(chunks)
        assert {chunk_id for chunk_id, _ in rows} == chunks
        assert {len(vector) for _, vector in rows} == {space.dimensions}
