"""Entities that documents name in their text are linked without being told."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from knowledge.ingestion import store
from knowledge.ingestion.types import ParsedDocument
from knowledge.models import Chunk, Document, EntityKind
from knowledge.services import ensure_entity, store_documents
from knowledge.services.decisions import set_entities
from knowledge.services.storing import RECOGNISED
from tests.integration.knowledge.test_entity_names import plan

pytestmark = pytest.mark.django_db

VISIT = "The visit at Hollis Packaging went well."


@pytest.fixture
def hollis():
    return ensure_entity(
        name="Hollis Packaging", aliases=["Hollis Boxes"], domains=["Hollis.example"]
    )[0]


def about(external_id="a.md"):
    return set(Document.objects.get(external_id=external_id).entities.values_list("pk", flat=True))


@pytest.mark.parametrize("text", [VISIT, "Call with HOLLIS BOXES", "From: d@mail.hollis.example"])
def test_store_document__recognises_name_alias_and_domain(shelf, hollis, text):
    shelf.store(text=text)
    assert about() == {hollis.pk}
    assert Chunk.objects.get().entity_ids == [hollis.pk]
    assert Document.objects.get().metadata[RECOGNISED].casefold() in text.casefold()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Yum! Brands", "the visit at Yum Brands went well"),
        ("Northgate Haulage Ltd.", "the visit at Northgate Haulage Ltd went well"),
        ("Müller-Lindqvist, Inc", "the visit at Muller Lindqvist Inc. went well"),
        ("Quern and Sons", "the visit at Quern & Sons went well"),
    ],
)
def test_store_document__recognises_names_whatever_the_punctuation_and_accents(shelf, name, text):
    entity, _ = ensure_entity(name=name)
    shelf.store(text=text)
    assert about() == {entity.pk}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        # Each pair came up when names of real lists were looked for in real texts.
        ("Louise Armstrong", "the songs of Louis Armstrong are known"),
        ("PNC Financial Services", "a loan of Ant Financial Services is due"),
        ("TE Connectivity", "the issue with VPN Connectivity is solved"),
        ("Visual C++ Runtime", "the Visual C# Runtime is installed"),
        ("!?", "they said Wow ... and -- so on"),
    ],
)
def test_store_document__guesses_at_no_slip(shelf, name, text):
    ensure_entity(name=name)
    shelf.store(text=text)
    assert about() == set()


def test_store_document__the_name_as_written_goes_first(shelf):
    quern, _ = ensure_entity(name="Quern-Mill")
    mill, _ = ensure_entity(name="Quern Mill")
    shelf.store(text="the visit at Quern Mill went well")
    assert about() == {mill.pk}
    shelf.store(text="the visit at Quern-Mill went well")
    assert about() == {quern.pk}


def test_store_document__recognised_contact_is_about_the_account_too(shelf, hollis):
    dana, _ = ensure_entity(name="Dana Lee", kind=EntityKind.PERSON, parent=hollis)
    shelf.store(text="a call with Dana Lee on prices")
    assert about() == {dana.pk, hollis.pk}
    assert Document.objects.get().metadata == {RECOGNISED: "Dana Lee"}


def test_store_document__recognises_a_contact_by_the_mail_address(shelf, hollis):
    dana, _ = ensure_entity(
        name="Dana Lee", kind=EntityKind.PERSON, parent=hollis, aliases=["Dana@Lee.example"]
    )
    shelf.store(text="From: dana@lee.example")
    assert about() == {dana.pk, hollis.pk}


def test_store_document__rather_nothing_than_a_wrong_entity(shelf, hollis):
    for kind in (EntityKind.COMPANY, EntityKind.PERSON):
        ensure_entity(name="Robin Smith", kind=kind)
    ensure_entity(name="Target")
    ensure_entity(name="Contoso", external_id="ACC Seven")
    shelf.store(text="We met Robin Smith. Target prices: our target. Case ACC Seven.")
    assert about() == set()
    assert Document.objects.get().metadata == {}


def test_store_document__given_entities_are_all_it_is_about(shelf, hollis):
    northwind, _ = ensure_entity(name="Northwind")
    shelf.store(text=VISIT, entities=("Northwind",))
    assert about() == {northwind.pk}


def test_store_document__recognised_go_with_the_text_and_a_curators_stay(shelf, hollis):
    northwind, _ = ensure_entity(name="Northwind")
    shelf.store(text=VISIT)
    shelf.store(text="The visit went well.")
    assert about() == set()
    assert Document.objects.get().metadata == {}

    shelf.store(text=VISIT)
    set_entities(document=Document.objects.get(), entities=[northwind])
    shelf.store(text=f"{VISIT} Twice.")
    assert about() == {northwind.pk}
    assert Document.objects.get().metadata == {}


def test_store_document__an_entity_added_later_is_found_without_embedding_again(shelf):
    shelf.store(text=VISIT)
    shelf.embedder.texts.clear()
    added, _ = ensure_entity(name="Hollis Packaging")
    assert shelf.store(text=VISIT).outcome == "updated"
    assert about() == {added.pk}
    assert Chunk.objects.get().entity_ids == [added.pk]
    assert shelf.embedder.texts == []
    assert shelf.store(text=VISIT).outcome == "unchanged"


def test_store_document__reads_no_names_where_switched_off(shelf, hollis, settings):
    shelf.store("set.md", VISIT, reads_entities=False)
    assert about("set.md") == set()
    settings.CRMIND_KNOWLEDGE = {**settings.CRMIND_KNOWLEDGE, "ENTITY_RECOGNITION": False}
    shelf.store(text=VISIT)
    assert about() == set()


def test_store_documents__one_look_up_for_all(shelf, hollis):
    batch = [ParsedDocument(external_id=f"{place}.md", text=VISIT) for place in range(8)]
    with CaptureQueriesContext(connection) as queries:
        list(store_documents(parsed=batch, **shelf.tools))
    looked_up = [each for each in queries.captured_queries if "given_domain" in each["sql"]]
    assert len(looked_up) == 1
    assert hollis.documents.count() == 8


def test_recognise_entities__goes_through_indexes():
    text = plan("recognise_entities", names=["Camelot"], domains=["camelot.example"])
    assert {"entity_domains_folded", "entity_keys"} <= set(text.split())
    assert "Seq Scan on knowledge_entity" not in text
    assert store.recognise_entities(names=[], domains=[]) == []
