"""`responses/`: store, read, list, forget, feedback."""

from uuid import uuid4

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from cachemgr.models import CachedResponse, InvalidationReason
from knowledge.models import EVERYONE
from tests.integration.cachemgr.conftest import QUESTION, with_tags

pytestmark = pytest.mark.django_db

URL = "/api/v1/responses/"


@pytest.fixture
def store_key(conversation):
    return str(conversation.offer(now=timezone.now()))


@pytest.fixture
def response(conversation):
    return conversation.store(now=timezone.now())


def store(client, key, **values):
    body = {"store_key": key, "answer": "For 14 days [1].", **values}
    return client.post(URL, body, format="json")


def error(reply):
    fault = reply.json()["error"]
    return reply.status_code, fault["code"], fault["field"]


def test_post__stores(client, conversation, store_key):
    reply = store(client, store_key, model_name="m-1")
    chunk = conversation.chunk
    body = reply.json()
    stored = CachedResponse.objects.get()
    assert reply.status_code == 201
    assert body == {
        "id": str(stored.pk),
        "question": QUESTION,
        "answer": "For 14 days [1].",
        "model_name": "m-1",
        "citations": [
            {
                "number": 1,
                "chunk_ids": [chunk.pk],
                "document_id": chunk.document_id,
                "title": "Refund policy",
                "url": "",
                "source_name": "Handbook",
                "source_type": "blog_post",
                "published_at": None,
                "trust": 0.8,
                "start": 0,
                "end": 36,
                "text": "Refunds are possible within 14 days.",
            }
        ],
        "hit_count": 0,
        "created_at": body["created_at"],
        "expires_at": body["expires_at"],
    }
    assert client.get(f"{URL}{stored.pk}/").json() == body


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"answer": ""}, (400, "answer_refused", "answer")),
        ({"answer": "I don't know [1]."}, (400, "answer_refused", "answer")),
        ({"answer": "x" * 65_600 + " [1]"}, (400, "answer_refused", "answer")),
        ({"answer": "For 14 days."}, (400, "answer_refused", "citations")),
        ({"answer": "For 14 days [4]."}, (400, "unknown_citation", "citations")),
        ({"citations": [4]}, (400, "unknown_citation", "citations")),
        ({"citations": ["one"]}, (400, "invalid", "citations.0")),
        ({"citations": [-1]}, (400, "min_value", "citations.0")),
        ({"answer": 14}, (400, "invalid", "answer")),
        ({"answer": "nul \0 [1]"}, (400, "null_characters_not_allowed", "answer")),
        ({"answer": None}, (400, "null", "answer")),
        ({"ttl": 9}, (400, "unknown_key", "ttl")),
        ({"store_key": "abc"}, (400, "invalid", "store_key")),
        ({"store_key": str(uuid4())}, (404, "unknown_store_key", "store_key")),
    ],
)
def test_post__refused(client, store_key, values, expected):
    assert error(store(client, store_key, **values)) == expected
    assert not CachedResponse.objects.exists()


def test_post__half_of_a_character(client, store_key):
    reply = client.post(
        URL,
        f'{{"store_key": "{store_key}", "answer": "\\ud800 [1]"}}',
        content_type="application/json",
    )
    assert reply.status_code == 400
    assert not CachedResponse.objects.exists()


def test_post__twice(client, store_key):
    store(client, store_key)
    assert error(store(client, store_key)) == (409, "used_store_key", "store_key")


def test_post__changed_evidence(client, conversation, store_key):
    conversation.chunk.delete()
    assert error(store(client, store_key)) == (409, "stale_evidence", "citations")


def test_post__key_of_other_readers(client, client_with, conversation):
    scope = with_tags(conversation.scope, EVERYONE, "sales")
    key = str(conversation.offer(now=timezone.now(), scope=scope))
    assert error(store(client, key)) == (404, "unknown_store_key", "store_key")
    assert store(client_with("sales"), key).status_code == 201


def test_without_a_key(response):
    for url in (URL, f"{URL}{response.pk}/"):
        assert error(APIClient().get(url)) == (401, "not_authenticated", "")
    assert APIClient().delete(f"{URL}{response.pk}/").status_code == 401


def test_get__other_readers(client, client_with, conversation):
    scope = with_tags(conversation.scope, EVERYONE, "sales")
    response = conversation.store(scope=scope, now=timezone.now())
    url = f"{URL}{response.pk}/"
    assert error(client.get(url)) == (404, "unknown_response", "")
    assert error(client.delete(url)) == (404, "unknown_response", "")
    feedback = client.post(f"{url}feedback/", {"verdict": "wrong"}, format="json")
    assert error(feedback) == (404, "unknown_response", "")
    assert client.get(URL).json()["results"] == []
    assert client_with("sales").get(url).status_code == 200


def test_get__evidence_closed_to_the_reader(client, response, conversation):
    type(conversation.chunk).objects.update(access_tags=["sales"])
    assert error(client.get(f"{URL}{response.pk}/")) == (404, "unknown_response", "")
    assert client.get(URL).json()["results"] == []


def test_list__pages_neither_repeat_nor_skip(client, conversation):
    now = timezone.now()
    for number in range(7):
        key = conversation.offer(f"Question {number}?", now=now)
        conversation.store(key=key, now=now)
    seen = []
    url = f"{URL}?page_size=3"
    while url:
        page = client.get(url).json()
        seen += [row["id"] for row in page["results"]]
        conversation.store(
            key=conversation.offer(f"Later {len(seen)}?", now=timezone.now()), now=timezone.now()
        )
        url = page["next"]
    assert len(seen) == len(set(seen)) == 7


def test_list__constant_number_of_queries(client, conversation, django_assert_num_queries):
    now = timezone.now()
    for number in range(3):
        conversation.store(key=conversation.offer(f"Question {number}?", now=now), now=now)
    # The API key; the responses with the passages they cite.
    with django_assert_num_queries(2):
        assert len(client.get(URL).json()["results"]) == 3


def test_list__unknown_parameter(client):
    assert error(client.get(f"{URL}?model=m")) == (400, "unknown_key", "model")


def test_delete(client, response):
    url = f"{URL}{response.pk}/"
    assert client.delete(url).status_code == 204
    assert client.get(url).status_code == 404
    assert client.delete(url).status_code == 404


@pytest.mark.parametrize(("verdict", "status"), [("wrong", 404), ("right", 200)])
def test_feedback(client, response, verdict, status):
    url = f"{URL}{response.pk}/"
    reply = client.post(f"{url}feedback/", {"verdict": verdict}, format="json")
    assert reply.status_code == 204
    assert client.get(url).status_code == status


def test_feedback__is_kept_as_the_reason(client, response):
    client.post(f"{URL}{response.pk}/feedback/", {"verdict": "wrong"}, format="json")
    response.refresh_from_db()
    assert response.invalidation_reason == InvalidationReason.FEEDBACK


@pytest.mark.parametrize("body", [{}, {"verdict": "meh"}, {"verdict": "wrong", "why": "x"}])
def test_feedback__invalid(client, response, body):
    reply = client.post(f"{URL}{response.pk}/feedback/", body, format="json")
    assert reply.status_code == 400
    assert CachedResponse.objects.live().exists()
