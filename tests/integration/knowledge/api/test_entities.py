import pytest

from knowledge.models import Entity

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/entities/"
QUERN = {"kind": "company", "name": "Quern Ltd", "external_id": "q-1", "aliases": ["Quern"]}


def test_entities__add_then_change_by_external_id(writer):
    first = writer.post(ADDRESS, QUERN)
    again = writer.post(ADDRESS, QUERN | {"name": "Quern plc"})
    assert (first.status_code, again.status_code) == (201, 200)
    entity = Entity.objects.get()
    assert again.json() == {
        "id": str(entity.pk),
        "kind": "company",
        "name": "Quern plc",
        "aliases": ["Quern"],
        "domains": [],
        "external_id": "q-1",
        "parent": None,
    }


def test_entities__find_by_alias_and_external_id(writer):
    writer.post(ADDRESS, QUERN)
    writer.post(ADDRESS, {"kind": "person", "name": "Ada Flail"})
    for query in ("name=Quern", "external_id=q-1", "name=quern ltd"):
        found = writer.get(f"{ADDRESS}?{query}").json()["results"]
        assert [entity["name"] for entity in found] == ["Quern Ltd"]
    assert writer.get(f"{ADDRESS}?name=").json()["results"] == []
    assert writer.get(f"{ADDRESS}?name=%00").status_code == 400


def test_entities__contact_of_an_account(writer):
    account = writer.post(ADDRESS, QUERN).json()
    contact = writer.post(
        ADDRESS, {"kind": "person", "name": "Ada Flail", "parent": account["id"]}
    ).json()
    assert contact["parent"] == account["id"]
    changed = writer.patch(f"{ADDRESS}{contact['id']}/", {"parent": None}).json()
    assert (changed["parent"], changed["name"]) == (None, "Ada Flail")
    assert writer.delete(f"{ADDRESS}{contact['id']}/").status_code == 204
    assert Entity.objects.count() == 1


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ({"kind": "planet", "name": "Mars"}, "invalid_choice", "kind"),
        ({"kind": "company"}, "required", "name"),
        ({"kind": "company", "name": "A", "nmae": "B"}, "unknown_key", "nmae"),
        ({"kind": "company", "name": "A", "parent": "x"}, "invalid", "parent"),
    ],
)
def test_entities__bad_input_is_named(writer, body, code, field):
    response = writer.post(ADDRESS, body)
    error = response.json()["error"]
    assert (response.status_code, error["code"], error["field"]) == (400, code, field)
    assert not Entity.objects.exists()
