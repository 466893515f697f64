from base64 import b64encode

import pytest
from django.utils import timezone

from knowledge.embedding.hashing import HashingEmbedder, RegexTokenizer
from knowledge.ingestion.types import ParsedDocument
from knowledge.models import Chunk, Document, Source
from knowledge.services import create_source, ensure_entity, store_documents

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/documents/"
LISTS = (ADDRESS, "/api/v1/sources/", "/api/v1/entities/")
MILL = {"source": "Mill", "external_id": "open/hours", "text": "The mill is open until 18:00."}


@pytest.fixture
def mill(writer):
    return create_source(name="Mill", type_slug="company_website")


def store_all(numbers):
    list(
        store_documents(
            source=Source.objects.get(name="Mill"),
            parsed=[ParsedDocument(external_id=str(number), text="Spam.") for number in numbers],
            embedder=HashingEmbedder(),
            tokenizer=RegexTokenizer(),
            now=timezone.now(),
        )
    )


def error_of(response):
    error = response.json()["error"]
    return response.status_code, error["code"], error["field"]


def test_documents__push_then_unchanged_then_replace(writer, mill):
    first = writer.post(ADDRESS, MILL)
    document = Document.objects.get()
    assert first.status_code == 201
    assert first.json() == {
        "id": document.pk,
        "outcome": "added",
        "status": "ready",
        "reason": "",
        "chunks": 1,
        "warnings": [],
    }
    again = writer.post(ADDRESS, MILL)
    assert (again.status_code, again.json()["outcome"]) == (200, "unchanged")
    newer = writer.post(ADDRESS, MILL | {"text": "The mill is open until 20:00."})
    assert (newer.status_code, newer.json()["outcome"]) == (200, "updated")
    assert [chunk.text for chunk in Chunk.objects.all()] == ["The mill is open until 20:00."]


def test_documents__read_with_everything_given(writer, mill):
    ensure_entity(name="Quern Ltd", kind="company", external_id="q-1")
    pushed = writer.post(
        ADDRESS,
        MILL
        | {
            "title": "Opening hours",
            "url": "https://mill.example/hours",
            "type": "news_article",
            "published_at": "2031-03-01T09:00:00Z",
            "entities": ["q-1"],
            "access_tags": ["sales"],
        },
    )
    body = writer.get(f"{ADDRESS}{pushed.json()['id']}/").json()
    assert body.pop("fetched_at")
    assert body == {
        "id": pushed.json()["id"],
        "source": "Mill",
        "external_id": "open/hours",
        "type": "news_article",
        "title": "Opening hours",
        "url": "https://mill.example/hours",
        "language": "english",
        "published_at": "2031-03-01T09:00:00Z",
        "valid_from": None,
        "valid_until": None,
        "access_tags": ["sales"],
        "entities": ["Quern Ltd"],
        "status": "ready",
        "status_reason": "",
        "warnings": [],
        "chunk_count": 1,
    }


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"text": ""}, (400, "blank", "text")),
        ({"text": ["a"]}, (400, "invalid", "text")),
        ({"text": "a\x00b"}, (400, "null_characters_not_allowed", "text")),
        ({"external_id": " "}, (400, "blank", "external_id")),
        ({"source": "Mell"}, (404, "unknown_source", "source")),
        ({"type": "gazette"}, (400, "unknown_source_type", "type")),
        ({"published_at": "yesterday"}, (400, "invalid", "published_at")),
        ({"language": "klingon"}, (400, "invalid_document", "language")),
        ({"trust": 1}, (400, "unknown_key", "trust")),
        ({"access_tags": []}, (400, "empty", "access_tags")),
        ({"access_tags": ["finance"]}, (403, "access_tag_not_held", "access_tags")),
        (
            {"valid_from": "2031-02-01T00:00:00Z", "valid_until": "2031-01-01T00:00:00Z"},
            (400, "invalid_document", "valid_until"),
        ),
    ],
)
def test_documents__bad_input_is_named_and_stores_nothing(writer, mill, change, error):
    assert error_of(writer.post(ADDRESS, MILL | change)) == error
    assert not Document.objects.exists()


def test_documents__those_of_other_readers_do_not_exist(writer, mill, client_with):
    pushed = writer.post(ADDRESS, MILL | {"access_tags": ["sales"]}).json()
    stranger = client_with("everyone", can_write=True)
    assert stranger.get(ADDRESS).json()["results"] == []
    assert stranger.get(f"{ADDRESS}{pushed['id']}/").status_code == 404
    assert stranger.delete(f"{ADDRESS}{pushed['id']}/").status_code == 404
    named = f"{ADDRESS}?source=Mill&external_id=open/hours"
    assert error_of(stranger.delete(named)) == (404, "unknown_document", "external_id")
    assert error_of(stranger.post(ADDRESS, MILL)) == (403, "access_tag_not_held", "access_tags")
    assert Document.objects.get().access_tags == ["sales"]


def test_documents__delete_by_external_id(writer, mill):
    writer.post(ADDRESS, MILL)
    assert error_of(writer.delete(f"{ADDRESS}?source=Mill")) == (
        400,
        "invalid_document",
        "external_id",
    )
    assert Document.objects.count() == 1
    assert writer.delete(f"{ADDRESS}?source=Mill&external_id=open/hours").status_code == 204
    assert (Document.objects.count(), Chunk.objects.count()) == (0, 0)


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("staus=ready", (400, "unknown_key", "staus")),
        ("status=done", (400, "invalid_document", "status")),
        ("source=Mill%00", (400, "null_characters_not_allowed", "source")),
        ("external_id=%00", (400, "null_characters_not_allowed", "external_id")),
    ],
)
def test_documents__unknown_parameters_never_mean_no_filter(writer, mill, query, error):
    assert error_of(writer.get(f"{ADDRESS}?{query}")) == error


@pytest.mark.parametrize("size", ["-1", "0", "101", "1000000000", "x", "1.5", "true", "", "²"])
@pytest.mark.parametrize("address", LISTS)
def test_pages__a_size_beyond_the_bounds_is_refused(writer, mill, address, size):
    response = writer.get(address, {"page_size": size})
    assert error_of(response) == (400, "invalid", "page_size")
    assert writer.get(address, {"page_size": "100"}).status_code == 200


@pytest.mark.parametrize("cursor", ["zzz", "²", "o=abc", "p=x"])
@pytest.mark.parametrize("address", [ADDRESS, "/api/v1/responses/"])
def test_pages__a_cursor_that_leads_nowhere_is_refused(writer, mill, address, cursor):
    encoded = b64encode(cursor.encode()).decode() if "=" in cursor else cursor
    response = writer.get(address, {"cursor": encoded})
    assert error_of(response) == (400, "invalid", "cursor")


@pytest.mark.parametrize("cursor", ["p=99999999999999999999999", "p=-1&r=1", "p="])
def test_pages__any_number_is_a_place_in_a_list_of_numbers(writer, mill, cursor):
    response = writer.get(ADDRESS, {"cursor": b64encode(cursor.encode()).decode()})
    assert response.status_code in {200, 400}


def test_documents__five_walks_over_rows_that_change_see_each_row_once(writer, mill):
    """Sixty rows of one bulk load, hence of one moment."""
    store_all(range(60))
    Document.objects.update(updated_at=Document.objects.first().updated_at)
    for walk in range(5):
        seen, address = [], f"{ADDRESS}?page_size=10"
        while address:
            page = writer.get(address).json()
            seen += [row["external_id"] for row in page["results"]]
            address = page["next"]
        assert len(seen) == len(set(seen)) == 60
        touched = [str(number) for number in range(5 * walk, 5 * walk + 5)]
        Document.objects.filter(external_id__in=touched).update(title=f"walk {walk}")


def test_documents__an_ordering_cannot_be_asked_for(writer, mill):
    answer = error_of(writer.get(f"{ADDRESS}?ordering=-updated_at"))
    assert answer == (400, "unknown_key", "ordering")


def test_documents__pages_neither_repeat_nor_skip(writer, mill):
    for number in range(12):
        writer.post(ADDRESS, MILL | {"external_id": str(number)})
    seen, address = [], f"{ADDRESS}?page_size=5"
    while address:
        page = writer.get(address).json()
        seen += [row["external_id"] for row in page["results"]]
        address = page["next"]
        Document.objects.filter(external_id="3").update(title=f"touched {len(seen)}")
        writer.post(ADDRESS, MILL | {"external_id": f"late {len(seen)}"})
    assert seen == [str(number) for number in reversed(range(12))]


def test_documents__constant_number_of_queries(writer, mill, django_assert_max_num_queries):
    for number in range(8):
        writer.post(ADDRESS, MILL | {"external_id": str(number)})
    with django_assert_max_num_queries(4):
        assert len(writer.get(ADDRESS).json()["results"]) == 8
