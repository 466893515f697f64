import pytest

from knowledge.models import Document, Source
from knowledge.services import create_source

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/sources/"


def error_of(response):
    error = response.json()["error"]
    return response.status_code, error["code"], error["field"]


def test_sources__create_and_read(writer):
    response = writer.post(ADDRESS, {"name": "Mill news", "type": "news_article"})
    assert response.status_code == 201
    body = response.json()
    assert body == {
        "id": Source.objects.get().pk,
        "name": "Mill news",
        "type": "news_article",
        "location": "",
        "trust": 0.7,
        "authority": 0.9,
        "enabled": True,
        "language": "english",
        "access_tags": ["everyone"],
        "health": "unknown",
        "health_reason": "",
        "last_run_at": None,
    }
    assert writer.get(f"{ADDRESS}{body['id']}/").json() == body
    assert writer.get(ADDRESS).json()["results"] == [body]


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({}, (400, "required", "name")),
        ({"name": ""}, (400, "blank", "name")),
        ({"name": 7}, (400, "invalid", "name")),
        ({"name": "x\x00y"}, (400, "null_characters_not_allowed", "name")),
        ({"name": "Mill", "type": "gazette"}, (400, "unknown_source_type", "type")),
        ({"name": "Mill", "trust": 1.0}, (400, "unknown_key", "trust")),
        ({"name": "Mill", "access_tags": []}, (400, "empty", "access_tags")),
        ({"name": "Mill", "access_tags": ["Sales!"]}, (400, "invalid", "access_tags.0")),
        ({"name": "Mill", "access_tags": ["finance"]}, (403, "access_tag_not_held", "access_tags")),
    ],
)
def test_sources__bad_input_is_named_and_stores_nothing(writer, body, error):
    assert error_of(writer.post(ADDRESS, body)) == error
    assert not Source.objects.exists()


def test_sources__a_taken_name_is_named(writer):
    create_source(name="Mill")
    assert error_of(writer.post(ADDRESS, {"name": "mill"}))[0] == 400


def test_sources__those_of_other_readers_do_not_exist(writer):
    foreign = create_source(name="Ledger", access_tags=["finance"])
    assert writer.get(ADDRESS).json()["results"] == []
    for method in (writer.get, writer.delete):
        assert error_of(method(f"{ADDRESS}{foreign.pk}/")) == (404, "not_found", "")
    assert writer.patch(f"{ADDRESS}{foreign.pk}/", {"enabled": False}).status_code == 404


def test_sources__change(writer):
    source = create_source(name="Mill")
    response = writer.patch(f"{ADDRESS}{source.pk}/", {"access_tags": ["sales"], "enabled": False})
    assert response.status_code == 200
    source.refresh_from_db()
    assert (source.access_tags, source.enabled) == (["sales"], False)


@pytest.mark.parametrize("field", ["trust", "authority_override", "owner", "health", "id"])
def test_sources__what_curators_decide_cannot_be_set(writer, field):
    source = create_source(name="Mill")
    before = Source.objects.values().get()
    response = writer.patch(f"{ADDRESS}{source.pk}/", {field: 1})
    assert error_of(response) == (400, "unknown_key", field)
    assert Source.objects.values().get() == before


def test_sources__deleting_wants_the_name(writer):
    source = create_source(name="Mill")
    writer.post(
        "/api/v1/documents/", {"source": "Mill", "external_id": "1", "text": "The mill is old."}
    )
    assert error_of(writer.delete(f"{ADDRESS}{source.pk}/")) == (
        400,
        "confirmation_missing",
        "confirm",
    )
    assert Document.objects.count() == 1
    assert writer.delete(f"{ADDRESS}{source.pk}/?confirm=Mill").status_code == 204
    assert (Source.objects.count(), Document.objects.count()) == (0, 0)
