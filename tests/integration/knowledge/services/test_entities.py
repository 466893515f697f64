"""Writes of entities, and finding them by name."""

import pytest

from crmind.exceptions import InvalidInputError
from knowledge.exceptions import UnknownEntityError
from knowledge.models import Chunk, Document, Entity
from knowledge.services import (
    delete_entity,
    ensure_entity,
    get_entity,
    resolve_entities,
    update_entity,
)
from tests.factories.knowledge import EntityFactory


@pytest.fixture
def northwind(db):
    return EntityFactory(
        name="Northwind Ltd", external_id="acc-7", aliases=["Northwind", "ÉTOILE du nord"]
    )


@pytest.mark.parametrize(
    "name", ["Northwind Ltd", "northwind ltd", "ACC-7", "northwind", "étoile du Nord"]
)
def test_get_entity__by_external_id_name_or_alias(northwind, name):
    assert get_entity(name) == northwind


def test_get_entity__the_better_match_wins(northwind):
    EntityFactory(name="acc-7")
    by_name = EntityFactory(name="Northwind")

    assert get_entity("acc-7") == northwind
    assert get_entity("northwind") == by_name


def test_get_entity__unknown_or_ambiguous(northwind):
    EntityFactory(name="Smith")
    EntityFactory(name="smith")

    with pytest.raises(UnknownEntityError, match="There is no entity 'Jones'"):
        get_entity("Jones")
    with pytest.raises(UnknownEntityError, match="2 entities are called 'Smith'"):
        get_entity("Smith")


def test_resolve_entities__in_order_each_once_without_unknown(northwind):
    other = EntityFactory(name="Contoso")

    found = resolve_entities(["Contoso", "nobody", "acc-7", "Northwind", " "])

    assert found == [other, northwind]


def test_ensure_entity__takes_new_values(db):
    made, is_new = ensure_entity(name="Contoso", external_id="acc-1", aliases=["Con"])
    again, is_new_again = ensure_entity(name="Contoso AG", external_id="acc-1")

    assert (is_new, is_new_again) == (True, False)
    assert (again.pk, again.name, again.aliases) == (made.pk, "Contoso AG", ["Con"])
    with pytest.raises(InvalidInputError, match=r"^name: "):
        ensure_entity(name="", external_id="acc-2")


def test_update_entity__names_the_field(northwind):
    with pytest.raises(InvalidInputError, match=r"^colour: an entity has no such field"):
        update_entity(entity=northwind, colour="red")
    with pytest.raises(InvalidInputError, match=r"^kind: "):
        update_entity(entity=northwind, kind="ghost")


def test_delete_entity__documents_lose_the_link(shelf, northwind):
    shelf.store(text="Blue lantern policy", entities=("Northwind",))
    assert Chunk.objects.get().entity_ids == [northwind.pk]

    delete_entity(entity=northwind)

    assert Chunk.objects.get().entity_ids == []
    assert not Entity.objects.exists()


def test_store_document__what_is_about_a_contact_or_deal_is_about_its_account_too(shelf):
    account = EntityFactory(name="Hollis Provisions", kind="company")
    contact = EntityFactory(name="Dana Lee", kind="person", parent=account)
    EntityFactory(name="Renewal", kind="deal", parent=account)
    branch = EntityFactory(name="Hollis North", kind="company", parent=account)

    shelf.store("call.md", "She asked for a price.", entities=("Dana Lee", "Renewal"))
    shelf.store("visit.md", "They moved.", entities=("Hollis North",))

    call, visit = Document.objects.order_by("external_id")
    assert {account.pk, contact.pk} < set(call.entities.values_list("pk", flat=True))
    assert call.entities.count() == 3
    assert account.pk in Chunk.objects.get(document=call).entity_ids
    assert list(visit.entities.values_list("pk", flat=True)) == [branch.pk]
    assert (
        shelf.store("call.md", "She asked for a price.", entities=("Dana Lee", "Renewal")).outcome
        == "unchanged"
    )
