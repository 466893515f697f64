"""Entities in the admin: names that look like others."""

import pytest

from knowledge.models import Entity
from tests.factories.knowledge import EntityFactory

ADD = "/admin/knowledge/entity/add/"


def add(curator, **values):
    given = {"kind": "company", "external_id": "", "aliases": "", "domains": "", **values}
    response = curator.post(ADD, given, follow=True)
    return [str(message) for message in response.context["messages"]]


@pytest.mark.parametrize(
    "values", [{"name": "p\u0430ypal"}, {"name": "Paypal", "aliases": "p\u0430ypal"}]
)
def test_add__a_name_of_two_alphabets_is_flagged(curator, values):
    told = add(curator, **values)

    assert "Mixed alphabets: 'p\u0430ypal' holds Cyrillic small letter a" in told
    assert Entity.objects.count() == 1


def test_add__a_name_of_one_alphabet_is_not(curator):
    assert not any("alphabets" in message for message in add(curator, name="Договор ООО"))


@pytest.mark.parametrize(
    ("wrong", "field"), [({"name": "The"}, "name"), ({"aliases": "Camelot Ltd, It"}, "aliases")]
)
def test_add__names_that_every_question_holds_are_refused_at_the_field(curator, wrong, field):
    values = {"kind": "company", "name": "Camelot", **wrong}

    response = curator.post("/admin/knowledge/entity/add/", values)

    assert "is in almost every question" in response.context["adminform"].errors[field][0]
    assert not Entity.objects.exists()


def test_add__warns_of_a_name_that_is_taken_and_can_be_tried(curator):
    EntityFactory(name="Round table")

    values = {"kind": "company", "name": "The Who", "aliases": "Round table"}
    page = curator.post("/admin/knowledge/entity/add/", values, follow=True).content.decode()

    assert "“Round table” is a name of another entity, too" in page
    entity = Entity.objects.get(name="The Who")
    shown = curator.get(f"/admin/knowledge/entity/{entity.pk}/change/").content.decode()
    assert f"/admin/preview/?entity={entity.pk}" in shown
