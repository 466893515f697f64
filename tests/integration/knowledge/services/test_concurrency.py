"""Several writers at once, and writers that die."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Semaphore

import pytest
from django.db import ProgrammingError, connections, transaction

from knowledge.embedding.hashing import HashingEmbedder, RegexTokenizer
from knowledge.exceptions import InvalidDocumentError, UnknownDocumentError
from knowledge.ingestion import store as chunk_store
from knowledge.ingestion.types import ParsedDocument
from knowledge.models import Chunk, ChunkEmbedding, Document, Source
from knowledge.seed import seed_source_types
from knowledge.services import (
    delete_document,
    ensure_source,
    passages,
    reindex_document,
    store_document,
    supersede_document,
)
from knowledge.services.attendance import Attendance, name_of
from knowledge.services.backoff import MOST_DOCUMENT_ATTEMPTS
from knowledge.services.reindexing import reindex_in_batches
from tests.integration.knowledge.conftest import NOW, Shelf

WRITERS = 16


@pytest.fixture
def open_shelf(transactional_db):
    """Give a source whose writes are committed."""
    seed_source_types()
    return Shelf(source=ensure_source(name="shelf"))


def run_at_once(*jobs):
    """Run each job in a thread with a connection of its own, all starting together."""
    barrier = Barrier(len(jobs))

    def run(job):
        barrier.wait(timeout=30)
        return with_own_connection(job)

    with ThreadPoolExecutor(len(jobs)) as pool:
        futures = [pool.submit(run, job) for job in jobs]
        return [future.result(timeout=60) for future in futures]


def with_own_connection(job):
    try:
        return job()
    finally:
        connections.close_all()


def storing(external_id, text, **values):
    def job():
        return store_document(
            source=ensure_source(name="shelf"),
            parsed=ParsedDocument(external_id=external_id, text=text, **values),
            embedder=HashingEmbedder(),
            tokenizer=RegexTokenizer(),
            now=NOW,
        )

    return job


def test_store_document__same_text_by_many_at_once(transactional_db):
    """Case T18: nothing exists yet, not even the source or the space."""
    seed_source_types()

    outcomes = run_at_once(*[storing("a.md", "Blue lantern policy")] * WRITERS)

    kinds = sorted(outcome.outcome for outcome in outcomes)
    assert kinds == ["added", *["unchanged"] * (WRITERS - 1)]
    assert Source.objects.count() == Document.objects.count() == 1
    assert Chunk.objects.count() == ChunkEmbedding.objects.count() == 1


def test_store_document__a_try_that_others_are_still_at_is_no_death(transactional_db, monkeypatch):
    """One after the other comes while the first is still being embedded: none has died of it."""
    seed_source_types()
    storing("a.md", "Edition 1")()
    come, all_are_in = Semaphore(0), Barrier(WRITERS)
    embed_passages = HashingEmbedder.embed_passages

    def embed(embedder, texts):
        come.release()
        all_are_in.wait(timeout=10)
        return embed_passages(embedder, texts)

    monkeypatch.setattr(HashingEmbedder, "embed_passages", embed)
    with ThreadPoolExecutor(WRITERS) as pool:
        futures = []
        for _ in range(WRITERS):
            futures.append(pool.submit(with_own_connection, storing("a.md", "Edition 2")))
            come.acquire(timeout=10)
        outcomes = [future.result(timeout=60) for future in futures]

    kinds = sorted(outcome.outcome for outcome in outcomes)
    assert kinds == [*["unchanged"] * (WRITERS - 1), "updated"]
    assert Document.objects.get().attempts == 0


def test_reindex__a_try_that_others_are_still_at_is_no_death(open_shelf, monkeypatch):
    """As many as a document may die of are still at it when the last one comes."""
    open_shelf.store("a.md", "Edition 1")
    Chunk.objects.all().delete()
    document = Document.objects.get()
    come, last_has_looked = Semaphore(0), Barrier(MOST_DOCUMENT_ATTEMPTS + 1)
    embed_passages = HashingEmbedder.embed_passages

    def embed(embedder, texts):
        come.release()
        last_has_looked.wait(timeout=10)
        return embed_passages(embedder, texts)

    def reindex():
        tools = {"embedder": HashingEmbedder(), "tokenizer": RegexTokenizer(), "now": NOW}
        return list(reindex_in_batches([document.pk], **tools))

    monkeypatch.setattr(HashingEmbedder, "embed_passages", embed)
    with ThreadPoolExecutor(MOST_DOCUMENT_ATTEMPTS + 1) as pool:
        futures = []
        for _ in range(MOST_DOCUMENT_ATTEMPTS + 1):
            futures.append(pool.submit(with_own_connection, reindex))
            assert come.acquire(timeout=10)
        outcomes = [outcome for future in futures for outcome in future.result(timeout=60)]

    assert {outcome.status for outcome in outcomes} == {"ready"}
    document.refresh_from_db()
    assert (document.status, document.attempts, document.lease_until) == ("ready", 0, None)


def test_attendance__ends_with_the_work_and_with_the_connection(transactional_db):
    name = name_of(1, "a.md")
    others = [lambda: Attendance().attend([name])]

    with Attendance() as attendance:
        assert attendance.attend([name]) == attendance.attend([name]) == {name}
        assert run_at_once(*others) == [frozenset()]
    assert run_at_once(*others) == [{name}]
    # The one before closed its connection without leaving, as a process that dies does.
    assert run_at_once(*others) == [{name}]


def test_attendance__does_not_hide_what_broke_the_transaction(transactional_db):
    def fail():
        with transaction.atomic(), Attendance() as attendance:
            attendance.attend([name_of(2, "a.md")])
            Document.objects.raw("SELECT nothing")[0]

    with pytest.raises(ProgrammingError, match="nothing"):
        fail()


def test_store_document__different_texts_by_many_at_once(open_shelf):
    open_shelf.store("a.md", "Edition 0")

    run_at_once(*[storing("a.md", f"Edition {number}") for number in range(1, WRITERS + 1)])

    chunk = Chunk.objects.get()
    assert Document.objects.get().body.text == chunk.text
    assert ChunkEmbedding.objects.get().chunk == chunk


def test_store_document__successions_do_not_deadlock(open_shelf):
    jobs = []
    for number in range(4):
        jobs.append(storing("a.md", f"a {number}", supersedes="b.md"))
        jobs.append(storing("b.md", f"b {number}", supersedes="a.md"))

    outcomes = run_at_once(*jobs)

    assert not any(outcome.needs_attention for outcome in outcomes)
    assert Document.objects.count() == Chunk.objects.count() == 2
    documents = list(Document.objects.order_by("external_id"))
    replaced = run_at_once(
        lambda: superseding(documents[0], documents[1]),
        lambda: superseding(documents[1], documents[0]),
    )
    assert sorted(replaced) == ["refused", "replaced"]


def superseding(old, new):
    try:
        supersede_document(old=old, new=new, now=NOW)
    except InvalidDocumentError:
        return "refused"
    return "replaced"


def test_delete_document__races_a_reindexing(open_shelf):
    for number in range(10):
        outcome = open_shelf.store("a.md", f"Edition {number}")
        document = Document.objects.get(pk=outcome.document_id)

        def reindex(document=document):
            try:
                reindex_document(
                    document=document,
                    embedder=HashingEmbedder(),
                    tokenizer=RegexTokenizer(),
                    now=NOW,
                )
            except UnknownDocumentError:
                return "gone"
            return "done"

        run_at_once(reindex, lambda document=document: delete_document(document=document))

        assert not Document.objects.exists()
        assert not Chunk.objects.exists()
        assert not ChunkEmbedding.objects.exists()


@pytest.mark.parametrize(
    "name",
    [
        "lock_documents",
        "read_passages",
        "delete_chunks",
        "update_chunks",
        "insert_chunks",
        "insert_vectors",
        "refresh_filters",
    ],
)
def test_store_document__a_crash_at_any_statement_leaves_the_old_version(
    open_shelf, monkeypatch, name
):
    class CrashError(BaseException):
        """Stands for the death of the process."""

    open_shelf.store("a.md", "Open until 18:00.")
    genuine = getattr(chunk_store, name)
    calls = []

    def crash_after(*args, **kwargs):
        found = genuine(*args, **kwargs)
        calls.append(name)
        # The first look at what is stored happens before the transaction.
        if name != "read_passages" or len(calls) > 1:
            raise CrashError
        return found

    monkeypatch.setattr(chunk_store, name, crash_after)
    with pytest.raises(CrashError):
        open_shelf.store("a.md", "Open until 20:00.")
    monkeypatch.undo()

    assert Chunk.objects.get().text == Document.objects.get().body.text == "Open until 18:00."
    assert ChunkEmbedding.objects.count() == 1
    assert open_shelf.store("a.md", "Open until 20:00.").outcome == "updated"
    assert Chunk.objects.get().text == "Open until 20:00."


def test_store_document__readers_see_one_version_at_any_time(open_shelf, monkeypatch):
    open_shelf.store("a.md", "Open until 18:00.")
    seen = []
    genuine = passages.announce_chunks

    def look_from_outside(*args, **kwargs):
        def look():
            return list(Chunk.objects.values_list("text", flat=True))

        seen.extend(run_at_once(look))
        genuine(*args, **kwargs)

    monkeypatch.setattr(passages, "announce_chunks", look_from_outside)
    open_shelf.store("a.md", "Open until 20:00.")

    assert seen == [["Open until 18:00."], ["Open until 18:00."]]
    assert list(Chunk.objects.values_list("text", flat=True)) == ["Open until 20:00."]
