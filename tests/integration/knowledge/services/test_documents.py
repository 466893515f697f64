"""Adding, replacing, indexing anew and deleting documents."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest

from knowledge.exceptions import UnknownDocumentError
from knowledge.ingestion.types import ParsedDocument
from knowledge.models import (
    Chunk,
    ChunkEmbedding,
    Document,
    DocumentBody,
    DocumentStatus,
    EmbeddingSpace,
)
from knowledge.services import Outcome, delete_document, reindex_document, store_document
from knowledge.signals import ChangeReason, ContentChange
from tests.factories.knowledge import EntityFactory, SourceTypeFactory
from tests.integration.knowledge.services.stored import (
    FAQ,
    SHORT_CHUNKS,
    found_by_words,
    ids_of,
    texts_of,
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


def test_reindex_document__gone(shelf):
    tools = {name: value for name, value in shelf.tools.items() if name != "source"}

    with pytest.raises(UnknownDocumentError):
        reindex_document(document=Document(pk=999_999, external_id=str(uuid.uuid4())), **tools)
