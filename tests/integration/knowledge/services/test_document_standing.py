"""Readers, trust, succession and retirement of documents."""

from datetime import UTC, datetime

import pytest

from knowledge.exceptions import InvalidDocumentError, UnknownDocumentError
from knowledge.models import Chunk, Document, DocumentStatus
from knowledge.services import (
    restore_document,
    retire_document,
    set_access_tags,
    set_document_trust,
    supersede_document,
    switch_chunk,
    update_source,
)
from knowledge.signals import ChangeReason
from tests.integration.knowledge.conftest import NOW
from tests.integration.knowledge.services.stored import (
    FAQ,
    SHORT_CHUNKS,
    found_by_words,
    ids_of,
    texts_of,
)


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


def test_store_document__announces_changed_standing(shelf, changes):
    outcome = shelf.store(text="Blue lantern policy", trust=0.9)
    changes.clear()

    shelf.store(text="Blue lantern policy", trust=0.2, access_tags=("sales",))

    chunk_ids = tuple(ids_of(outcome.document_id))
    assert [(change.reason, change.chunk_ids) for change in changes] == [
        (ChangeReason.TRUST, chunk_ids),
        (ChangeReason.ACCESS, chunk_ids),
    ]


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


def test_supersede_document__never_in_a_circle(shelf):
    one = Document.objects.get(pk=shelf.store("1.md", "one").document_id)
    two = Document.objects.get(pk=shelf.store("2.md", "two").document_id)
    supersede_document(old=one, new=two, now=NOW)

    three = Document.objects.get(pk=shelf.store("3.md", "three").document_id)
    supersede_document(old=two, new=three, now=NOW)

    for new in (two, three):
        with pytest.raises(InvalidDocumentError, match="each would replace the other"):
            supersede_document(old=new, new=one, now=NOW)
    assert shelf.store("1.md", "one, again", supersedes="3.md").outcome == "updated"

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
