"""Writes of documents against the real database."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest

from knowledge.exceptions import (
    EmbeddingError,
    InvalidDocumentError,
    InvalidVectorError,
    UnknownDocumentError,
)
from knowledge.ingestion.types import ParsedDocument
from knowledge.models import (
    Chunk,
    ChunkEmbedding,
    Document,
    DocumentBody,
    DocumentStatus,
    EmbeddingSpace,
)
from knowledge.services import (
    Outcome,
    delete_document,
    reindex_document,
    restore_document,
    retire_document,
    set_access_tags,
    set_document_trust,
    store_document,
    supersede_document,
    switch_chunk,
    update_source,
)
from knowledge.signals import ChangeReason, ContentChange, content_changed
from tests.factories.knowledge import EntityFactory, SourceTypeFactory
from tests.integration.knowledge.conftest import NOW

FAQ = """# Returns

Goods come back within thirty days if they are whole and if the seal of the box is not broken.

# Parking

Park behind the hall, never on the ramp, and leave a note with your number behind the window.

# Hours

The warehouse is closed on {day}. On other days ring the bell beside the green door and wait.
"""
SHORT_CHUNKS = {"EMBEDDING_PROVIDER": "hashing", "CHUNK_TARGET_TOKENS": 32}


def texts_of(document_id):
    chunks = Chunk.objects.filter(document=document_id).order_by("position")
    return list(chunks.values_list("text", flat=True))


def ids_of(document_id):
    chunks = Chunk.objects.filter(document=document_id).order_by("position")
    return list(chunks.values_list("pk", flat=True))


def found_by_words(query):
    """Return the active chunks in which every word of the query occurs."""
    return set(
        Chunk.objects.filter(is_active=True)
        .extra(where=["search_vector @@ plainto_tsquery('english', %s)"], params=[query])
        .values_list("text", flat=True)
    )


def test_store_document__adds(shelf):
    outcome = shelf.store(text="Blue lantern policy", title="Lanterns")

    document = Document.objects.get()
    assert (outcome.document_id, outcome.outcome) == (document.pk, Outcome.ADDED)
    assert (document.status, document.status_reason) == (DocumentStatus.READY, "")
    assert (outcome.chunk_count, outcome.embedded_count, document.chunk_count) == (1, 1, 1)
    assert texts_of(document.pk) == ["Blue lantern policy"]
    assert DocumentBody.objects.get(document=document).text == "Blue lantern policy"
    assert ChunkEmbedding.objects.get().space == EmbeddingSpace.objects.get(status="active")
    assert shelf.embedder.texts == ["Lanterns\nBlue lantern policy"]


def test_store_document__copies_what_search_filters_by(shelf):
    company = EntityFactory(name="Northwind", external_id="acc-1")
    news = SourceTypeFactory(slug="news_article")
    published = datetime(2031, 3, 1, tzinfo=UTC)

    outcome = shelf.store(
        text="Blue lantern policy",
        source_type="news_article",
        language="de-AT",
        published_at=published,
        valid_from=published,
        valid_until=published + timedelta(days=30),
        trust=0.4,
        entities=("NORTHWIND", "acc-1"),
        access_tags=("sales", "board"),
        metadata={"author": "Dana Lee", "tier": "gold"},
    )

    document = Document.objects.get()
    chunk = Chunk.objects.get()
    assert outcome.warnings == ()
    assert (document.trust, document.author) == (0.4, "Dana Lee")
    assert document.has_own_access_tags
    assert (chunk.source_type, chunk.language) == (news, "german")
    assert (chunk.access_tags, chunk.entity_ids) == (["board", "sales"], [company.pk])
    assert (chunk.published_at, chunk.valid_from) == (published, published)
    assert chunk.valid_until == published + timedelta(days=30)
    assert chunk.is_active
    assert "gold" in document.metadata["tier"]


def test_store_document__title_and_identifier_parts_are_searched(shelf):
    shelf.store(text="The seal of KX-4471-B is red.", title="Gasket recall")

    assert found_by_words("gasket") == {"The seal of KX-4471-B is red."}
    assert found_by_words("4471") == {"The seal of KX-4471-B is red."}


def test_store_document__says_what_names_mean_nothing(shelf):
    EntityFactory(name="Smith")
    EntityFactory(name="Smith")

    outcome = shelf.store(text="x y", entities=("Smith", "Nobody"), source_type="leaflet")

    assert outcome.warnings == (
        "2 entities are called 'Smith'; name one by its external id.",
        "There is no entity 'Nobody'; the document is not linked to it.",
        "type: there is no source type 'leaflet'; counted as unknown.",
    )
    assert Document.objects.get().source_type.slug == "unknown"


def test_store_document__same_again_embeds_nothing(shelf, settings):
    settings.CRMIND_KNOWLEDGE = SHORT_CHUNKS
    first = shelf.store("faq.md", FAQ.format(day="Tuesday"))
    ids = ids_of(first.document_id)

    second = shelf.store("faq.md", FAQ.format(day="Friday"))
    calls = shelf.embedder.calls
    third = shelf.store("faq.md", FAQ.format(day="Friday"))

    assert (first.chunk_count, second.chunk_count, third.chunk_count) == (3, 3, 3)
    assert (second.outcome, second.embedded_count) == (Outcome.UPDATED, 1)
    assert third.outcome == Outcome.UNCHANGED
    assert shelf.embedder.calls == calls
    assert ids_of(first.document_id)[:2] == ids[:2]
    assert found_by_words("tuesday") == set()
    assert len(found_by_words("friday")) == 1
    assert Chunk.objects.count() == ChunkEmbedding.objects.count() == 3


def test_store_document__moved_passages_keep_their_ids(shelf, settings):
    settings.CRMIND_KNOWLEDGE = SHORT_CHUNKS
    sections = FAQ.format(day="Tuesday").split("# ")
    first = shelf.store(text=FAQ.format(day="Tuesday"))
    by_text = dict(Chunk.objects.values_list("text", "pk"))

    shelf.store(text="# " + "# ".join(reversed(sections[1:])))

    assert dict(Chunk.objects.values_list("text", "pk")) == by_text
    assert texts_of(first.document_id)[0].startswith("# Hours")
    assert len(shelf.embedder.texts) == 3


def test_store_document__a_missing_vector_is_made_again(shelf):
    shelf.store(text="Blue lantern policy")
    ChunkEmbedding.objects.all().delete()

    outcome = shelf.store(text="Blue lantern policy")

    assert (outcome.outcome, outcome.embedded_count) == (Outcome.UPDATED, 1)
    assert ChunkEmbedding.objects.count() == 1


def test_store_document__new_facts_without_new_text_embed_nothing(shelf):
    shelf.store(text="Blue lantern policy", published_at=datetime(2031, 1, 1, tzinfo=UTC))
    chunk_id = Chunk.objects.get().pk

    outcome = shelf.store(text="Blue lantern policy", published_at=datetime(2031, 2, 1, tzinfo=UTC))

    chunk = Chunk.objects.get()
    assert (outcome.outcome, outcome.embedded_count) == (Outcome.UPDATED, 0)
    assert (chunk.pk, chunk.published_at) == (chunk_id, datetime(2031, 2, 1, tzinfo=UTC))


def test_store_document__an_entity_that_came_later_is_linked(shelf):
    shelf.store(text="Blue lantern policy", entities=("Northwind",))
    company = EntityFactory(name="Northwind")

    outcome = shelf.store(text="Blue lantern policy", entities=("Northwind",))

    assert outcome.outcome == Outcome.UPDATED
    assert Chunk.objects.get().entity_ids == [company.pk]


def test_store_document__nul_characters_go(shelf):
    """Case B09."""
    texts = [
        "Invoice 88-103 total 12.00 EUR",
        "Invoice 88-104\x00 total 19.90\x00 EUR\x0b",
        "Invoice 88-105 total 7.00 EUR",
    ]
    metadata = [{}, {"tier": "VIP\u0000"}, {}]

    outcomes = [
        shelf.store(f"{number}.txt", text, metadata=facts)
        for number, (text, facts) in enumerate(zip(texts, metadata, strict=True))
    ]

    assert [outcome.outcome for outcome in outcomes] == [Outcome.ADDED] * 3
    assert found_by_words("88-104") == {"Invoice 88-104 total 19.90 EUR"}
    document = Document.objects.get(external_id="1.txt")
    assert document.metadata == {"tier": "VIP"}
    assert "3 NUL characters removed" in document.warnings


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"external_id": " "}, "external_id"),
        ({"external_id": "a\x00b"}, "external_id"),
        ({"external_id": "a" * 1001}, "external_id"),
        ({"trust": 1.5}, "trust"),
        ({"language": "klingon"}, "language"),
        ({"access_tags": ("No Spaces",)}, "access_tags"),
        ({"valid_from": NOW, "valid_until": NOW}, "valid_until"),
    ],
)
def test_store_document__refuses_and_stores_nothing(shelf, values, field):
    with pytest.raises(InvalidDocumentError, match=f"^{field}: ") as caught:
        shelf.store(**{"text": "Blue lantern policy", **values})

    assert caught.value.field == field
    assert not Document.objects.exists()
    assert shelf.embedder.calls == 0


def test_store_document__too_long_a_text(shelf, settings):
    settings.CRMIND_KNOWLEDGE = {**SHORT_CHUNKS, "MAX_DOCUMENT_CHARACTERS": 10}

    with pytest.raises(
        InvalidDocumentError, match=r"^text: 11 characters; at most 10 are taken\.$"
    ):
        shelf.store(text="a" * 11)


def test_store_document__odd_names_are_mended(shelf):
    outcome = shelf.store(
        text="Blue lantern policy",
        title="t" * 1200,
        url="https://example.com/" + "u" * 2000,
        entities=("\x00",),
        source_type="no\x00type",
        supersedes="\ud800",
    )

    document = Document.objects.get()
    assert outcome.outcome == Outcome.ADDED
    assert (len(document.title), document.url) == (1000, "")
    assert "The title has 1200 characters and was cut." in document.warnings
    assert "The address has 2020 characters and was left out." in document.warnings


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


def test_store_document__an_unusable_vector_stores_nothing_by_halves(shelf, monkeypatch):
    monkeypatch.setattr(
        shelf.embedder, "embed_passages", lambda texts: [[0.0] * 384 for _ in texts]
    )

    with pytest.raises(InvalidVectorError, match="is zero"):
        shelf.store(text="Blue lantern policy")

    assert Document.objects.get().status == DocumentStatus.FAILED
    assert not Chunk.objects.exists()
    assert not DocumentBody.objects.exists()


def test_store_document__a_restriction_outlives_a_version_that_does_not_repeat_it(shelf):
    shelf.store(text="Board only", access_tags=("board",))

    outcome = shelf.store(text="Board only, second edition")

    assert Chunk.objects.get().access_tags == ["board"]
    assert outcome.warnings == ("No access tags given; the document keeps its own: board.",)


def test_store_document__what_a_curator_retired_stays_retired(shelf):
    first = shelf.store(text="Blue lantern policy")
    retire_document(document=Document.objects.get(), reason="Out of date")

    outcome = shelf.store(text="Green lantern policy")

    assert (outcome.document_id, outcome.status) == (first.document_id, DocumentStatus.RETIRED)
    assert not outcome.needs_attention
    assert not Chunk.objects.get().is_active


def test_store_document__announces_inside_the_transaction(shelf, settings, changes):
    settings.CRMIND_KNOWLEDGE = SHORT_CHUNKS
    outcome = shelf.store(text=FAQ.format(day="Tuesday"))
    before = ids_of(outcome.document_id)
    shelf.store(text=FAQ.format(day="Friday"))
    after = ids_of(outcome.document_id)

    origin = {"document_ids": (outcome.document_id,), "source_id": shelf.source.pk}
    assert changes == [
        ContentChange(reason=ChangeReason.ADDED, chunk_ids=tuple(before), **origin),
        ContentChange(reason=ChangeReason.UPDATED, chunk_ids=(before[2],), **origin),
        ContentChange(reason=ChangeReason.ADDED, chunk_ids=(after[2],), **origin),
    ]


def test_store_document__announces_changed_standing(shelf, changes):
    outcome = shelf.store(text="Blue lantern policy", trust=0.9)
    changes.clear()

    shelf.store(text="Blue lantern policy", trust=0.2, access_tags=("sales",))

    chunk_ids = tuple(ids_of(outcome.document_id))
    assert [(change.reason, change.chunk_ids) for change in changes] == [
        (ChangeReason.TRUST, chunk_ids),
        (ChangeReason.ACCESS, chunk_ids),
    ]


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


def test_store_document__supersedes(shelf, changes):
    old = shelf.store("2025.md", "Support answers in 8 hours.")
    changes.clear()
    starts = datetime(2031, 4, 1, tzinfo=UTC)

    new = shelf.store(
        "2026.md", "Support answers in 4 hours.", valid_from=starts, supersedes="2025.md"
    )

    old_document = Document.objects.get(pk=old.document_id)
    assert Document.objects.get(pk=new.document_id).supersedes == old_document
    assert old_document.valid_until == starts
    assert Chunk.objects.get(document=old_document).valid_until == starts
    assert ChangeReason.SUPERSEDED in [change.reason for change in changes]

    shelf.store("2025.md", "Support answered in 8 hours.")

    assert Chunk.objects.get(document=old_document).valid_until == starts


def test_supersede_document__each_other(shelf):
    one = Document.objects.get(pk=shelf.store("1.md", "one").document_id)
    two = Document.objects.get(pk=shelf.store("2.md", "two").document_id)
    supersede_document(old=one, new=two, now=NOW)

    supersede_document(old=two, new=one, now=NOW)

    one.refresh_from_db()
    two.refresh_from_db()
    assert (one.supersedes, two.supersedes) == (None, one)
    with pytest.raises(InvalidDocumentError, match="cannot replace itself"):
        supersede_document(old=one, new=one, now=NOW)


def test_retire_document__and_restore(shelf, changes):
    document = Document.objects.get(pk=shelf.store(text="Blue lantern policy").document_id)
    changes.clear()

    retire_document(document=document, reason="Out of date")
    assert found_by_words("lantern") == set()

    restored = restore_document(document=document)
    assert found_by_words("lantern") == {"Blue lantern policy"}
    assert (restored.status, restored.status_reason) == (DocumentStatus.READY, "")
    assert [change.reason for change in changes] == [ChangeReason.RETIRED, ChangeReason.RESTORED]


def test_delete_document__takes_everything(shelf, changes):
    outcome = shelf.store(text="Blue lantern policy")
    document = Document.objects.get(pk=outcome.document_id)
    attachment = store_document(
        parsed=ParsedDocument(external_id="a.md#1", text="Attached terms"),
        parent=document,
        **shelf.tools,
    )
    kept = shelf.store("b.md", "Green lantern policy")
    expected = {*ids_of(outcome.document_id), *ids_of(attachment.document_id)}
    changes.clear()

    delete_document(document=document)

    assert list(Document.objects.values_list("pk", flat=True)) == [kept.document_id]
    assert Chunk.objects.count() == ChunkEmbedding.objects.count() == 1
    assert {change.reason for change in changes} == {ChangeReason.REMOVED}
    assert {pk for change in changes for pk in change.chunk_ids} == expected
    with pytest.raises(UnknownDocumentError):
        delete_document(document=document)


def test_set_document_trust__announces(shelf, changes):
    document = Document.objects.get(pk=shelf.store(text="Blue lantern policy").document_id)
    changes.clear()

    assert set_document_trust(document=document, trust=0.2).trust == 0.2
    set_document_trust(document=document, trust=0.2)

    assert [change.reason for change in changes] == [ChangeReason.TRUST]
    with pytest.raises(InvalidDocumentError, match="trust: 2 is not a number from 0 to 1"):
        set_document_trust(document=document, trust=2)


def test_set_access_tags__counts_at_once_and_for_good(shelf, changes):
    document = Document.objects.get(pk=shelf.store(text="Blue lantern policy").document_id)
    changes.clear()

    set_access_tags(document=document, access_tags=["sales", "sales"])
    update_source(source=shelf.source, access_tags=["board"])

    assert Chunk.objects.get().access_tags == ["sales"]
    assert [change.reason for change in changes] == [ChangeReason.ACCESS, ChangeReason.ACCESS]
    with pytest.raises(InvalidDocumentError, match="name at least one tag"):
        set_access_tags(document=document, access_tags=[])


def test_switch_chunk__outlives_a_new_version(shelf, settings, changes):
    settings.CRMIND_KNOWLEDGE = SHORT_CHUNKS
    outcome = shelf.store(text=FAQ.format(day="Tuesday"))
    chunk = Chunk.objects.get(position=1)
    changes.clear()

    switched = switch_chunk(chunk=chunk, off=True)
    shelf.store(text=FAQ.format(day="Friday"))

    assert not switched.is_active
    assert found_by_words("parking") == set()
    assert changes[0].reason == ChangeReason.SWITCHED_OFF
    assert changes[0].chunk_ids == (chunk.pk,)
    assert switch_chunk(chunk=chunk, off=False).is_active
    assert len(texts_of(outcome.document_id)) == 3
    gone = Chunk(pk=chunk.pk + 1000, document=chunk.document)
    with pytest.raises(UnknownDocumentError, match="replaced meanwhile"):
        switch_chunk(chunk=gone, off=True)


def test_reindex_document__follows_the_settings(shelf, settings):
    outcome = shelf.store(text=FAQ.format(day="Tuesday"))
    document = Document.objects.get(pk=outcome.document_id)
    tools = {name: value for name, value in shelf.tools.items() if name != "source"}
    assert len(texts_of(document.pk)) == 1

    settings.CRMIND_KNOWLEDGE = SHORT_CHUNKS
    first = reindex_document(document=document, **tools)
    ids = ids_of(document.pk)
    calls = shelf.embedder.calls
    second = reindex_document(document=document, **tools)

    assert (first.outcome, first.chunk_count) == (Outcome.UPDATED, 3)
    assert (second.outcome, second.embedded_count) == (Outcome.UNCHANGED, 0)
    assert (ids_of(document.pk), shelf.embedder.calls) == (ids, calls)


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


def test_reindex_document__gone(shelf):
    tools = {name: value for name, value in shelf.tools.items() if name != "source"}

    with pytest.raises(UnknownDocumentError):
        reindex_document(document=Document(pk=999_999, external_id=str(uuid.uuid4())), **tools)
