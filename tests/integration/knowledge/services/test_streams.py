"""Many documents at once; one that fails never stops the others."""

import threading
from datetime import UTC, datetime
from threading import current_thread

from django.db import connection
from django.test.utils import CaptureQueriesContext

from knowledge.ingestion.types import ParsedDocument, UnreadableDocument
from knowledge.models import Chunk, Document, DocumentStatus, EmbeddingSpace, Source
from knowledge.services import Outcome, preview_documents, store_documents, streams

WRONG_TAG = (
    "access_tags: 'No Spaces' is not a tag. An access tag is made of lower-case letters, digits,"
    " hyphens and underscores."
)


def parsed(external_id, text, **values):
    return ParsedDocument(external_id=external_id, text=text, **values)


def store(shelf, *documents):
    return list(store_documents(parsed=documents, **shelf.tools))


def test_store_documents__one_call_embeds_all_in_order_of_length(shelf):
    outcomes = store(
        shelf,
        parsed("long.md", "A rather long text about blue lanterns"),
        parsed("short.md", "Short"),
        parsed("twin.md", "Short"),
    )

    assert [outcome.external_id for outcome in outcomes] == ["long.md", "short.md", "twin.md"]
    assert [outcome.outcome for outcome in outcomes] == [Outcome.ADDED] * 3
    assert shelf.embedder.calls == 1
    assert shelf.embedder.texts == ["Short", "A rather long text about blue lanterns"]


def test_store_documents__each_failure_has_its_reason(shelf):
    shelf.embedder.refused_word = "poison"

    outcomes = store(
        shelf,
        parsed("good.md", "Harbour rota"),
        parsed("bad.md", "poison", title="Bad"),
        parsed("tags.md", "Board only", access_tags=("No Spaces",)),
        parsed("", "nameless"),
        UnreadableDocument(external_id="locked.pdf", reason="It is locked", is_refused=True),
        parsed("last.md", "Last of all"),
    )

    assert [(outcome.outcome, outcome.status, outcome.reason) for outcome in outcomes] == [
        ("added", "ready", ""),
        ("failed", "failed", "the server answers 500."),
        (
            "failed",
            "failed",
            WRONG_TAG,
        ),
        ("failed", "failed", "external_id: give 1 to 1000 characters."),
        ("failed", "needs_attention", "It is locked."),
        ("added", "ready", ""),
    ]
    assert set(Document.objects.values_list("external_id", "title", "status")) == {
        ("good.md", "", "ready"),
        ("bad.md", "Bad", "failed"),
        ("tags.md", "", "failed"),
        ("locked.pdf", "", "needs_attention"),
        ("last.md", "", "ready"),
    }
    assert Chunk.objects.count() == 2


def test_store_documents__unreadable_new_version(shelf):
    store(shelf, parsed("a.pdf", "Blue lantern policy"), parsed("b.pdf", "Green lantern policy"))

    refused, emptied = store(
        shelf,
        UnreadableDocument(external_id="a.pdf", reason="It is locked.", is_refused=True),
        UnreadableDocument(external_id="b.pdf", reason="The file is empty."),
    )

    assert refused.reason == "Update failed: It is locked; the old version is still shown."
    assert emptied.reason == "The file is empty."
    assert list(Chunk.objects.values_list("text", flat=True)) == ["Blue lantern policy"]

    (again,) = store(shelf, parsed("a.pdf", "Blue lantern policy"))
    assert (again.outcome, again.status) == (Outcome.UPDATED, DocumentStatus.READY)


def test_store_documents__the_same_id_twice_counts_in_order(shelf):
    outcomes = store(shelf, parsed("a.md", "first"), parsed("a.md", "second"))

    assert [outcome.outcome for outcome in outcomes] == [Outcome.ADDED, Outcome.UPDATED]
    assert Chunk.objects.get().text == "second"


def test_store_documents__a_successor_may_come_first(shelf):
    starts = datetime(2031, 1, 1, tzinfo=UTC)
    store(
        shelf,
        parsed(
            "a-2026.md", "new", supersedes="b-2025.md", valid_from=datetime(2031, 1, 1, tzinfo=UTC)
        ),
        parsed("b-2025.md", "old"),
        parsed("c.md", "lost", supersedes="nowhere.md"),
    )

    old = Document.objects.get(external_id="b-2025.md")
    assert Document.objects.get(external_id="a-2026.md").supersedes == old
    assert old.valid_until == starts
    assert Document.objects.get(external_id="c.md").warnings == [
        "supersedes: there is no document 'nowhere.md' in this source."
    ]


def test_store_documents__names_of_a_predecessor_that_cannot_be(shelf):
    outcomes = store(
        shelf,
        parsed("a.md", "Lantern", supersedes="\ud800"),
        parsed("\ud800", "Harbour", supersedes="a.md"),
        parsed("b.md", "Compass", supersedes="a\x00.md"),
    )

    assert [outcome.outcome for outcome in outcomes] == [
        *(Outcome.ADDED, Outcome.FAILED, Outcome.ADDED)
    ]
    assert Document.objects.get(external_id="b.md").supersedes.external_id == "a.md"


def test_store_documents__batches_are_bounded(shelf, monkeypatch):
    monkeypatch.setattr(streams, "BATCH_DOCUMENTS", 2)

    outcomes = store(shelf, *(parsed(f"{number}.md", f"text {number}") for number in range(5)))

    assert [outcome.outcome for outcome in outcomes] == [Outcome.ADDED] * 5
    assert shelf.embedder.calls == 3


def test_store_documents__unchanged_costs_a_fixed_number_of_queries(shelf):
    documents = [parsed(f"{number}.md", f"text {number}") for number in range(20)]
    store(shelf, *documents)

    with CaptureQueriesContext(connection) as queries:
        outcomes = store(shelf, *documents)

    assert {outcome.outcome for outcome in outcomes} == {Outcome.UNCHANGED}
    assert shelf.embedder.calls == 1
    assert len(queries) <= 6


def test_store_documents__huge_document_beside_small_ones(shelf):
    """Case B05, with fewer rows: distinct words far beyond one text search vector."""
    rows = "\n".join(f"{(number * 2654435761) % 2**128:032x}" for number in range(6_000))

    outcomes = store(
        shelf,
        parsed("a.txt", "Blue lantern policy"),
        parsed("audit.csv", rows),
        parsed("b.txt", "Green lantern policy"),
    )

    assert [outcome.outcome for outcome in outcomes] == [Outcome.ADDED] * 3
    last = rows.split("\n")[-1]
    found = Chunk.objects.extra(
        where=["search_vector @@ plainto_tsquery('english', %s)"], params=[last]
    )
    assert last in found.get().text


def test_store_documents__one_token_of_a_megabyte(shelf):
    (outcome,) = store(shelf, parsed("token.txt", "x" * 1_100_000))

    assert outcome.outcome == Outcome.ADDED


def test_preview_documents__stores_and_embeds_nothing(shelf):
    store(shelf, parsed("same.md", "Blue lantern policy"), parsed("old.md", "old"))
    calls = shelf.embedder.calls

    outcomes = list(
        preview_documents(
            parsed=[
                parsed("same.md", "Blue lantern policy"),
                parsed("old.md", "new"),
                parsed("new.md", "new"),
                parsed("empty.md", ""),
                parsed("bad.md", "bad", trust=3.0),
                UnreadableDocument(external_id="x.pdf", reason="It is locked."),
            ],
            **shelf.tools,
        )
    )

    assert [(outcome.outcome, outcome.reason) for outcome in outcomes] == [
        ("unchanged", ""),
        ("updated", ""),
        ("added", ""),
        ("added", "The document has no text."),
        ("failed", "trust: 3.0 is not a number from 0 to 1."),
        ("failed", "It is locked."),
    ]
    assert shelf.embedder.calls == calls
    assert Document.objects.count() == 2


def test_preview_documents__of_a_source_to_be(shelf):
    source = Source(name="new", source_type=shelf.source.source_type)
    tools = {**shelf.tools, "source": source}

    (outcome,) = preview_documents(parsed=[parsed("a.md", "text")], **tools)

    assert (outcome.outcome, outcome.chunk_count) == (Outcome.ADDED, 1)
    assert not EmbeddingSpace.objects.exists()


def test_store_documents__embeds_the_next_batch_while_it_writes_one(shelf, monkeypatch):
    monkeypatch.setattr(streams, "BATCH_DOCUMENTS", 2)
    embedded = []
    genuine = shelf.embedder.embed_passages
    monkeypatch.setattr(
        shelf.embedder,
        "embed_passages",
        lambda texts: embedded.append(current_thread().name) or genuine(texts),
    )
    documents = [ParsedDocument(external_id=f"{n}.md", text=f"lantern {n}") for n in range(6)]

    stored = [each.external_id for each in store_documents(parsed=documents, **shelf.tools)]

    assert stored == [document.external_id for document in documents]
    assert len(embedded) == 3
    assert all(name.startswith("embedding") for name in embedded)
    assert not [each for each in threading.enumerate() if each.name.startswith("embedding")]


def test_store_documents__a_later_version_in_another_batch_counts(shelf, monkeypatch):
    monkeypatch.setattr(streams, "BATCH_DOCUMENTS", 1)
    documents = [ParsedDocument(external_id="a.md", text=f"Edition {n}") for n in range(4)]

    outcomes = list(store_documents(parsed=documents, **shelf.tools))

    assert [each.outcome for each in outcomes] == ["added", "updated", "updated", "updated"]
    assert Chunk.objects.get().text == "Edition 3"
