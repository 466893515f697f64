"""The contract of why-not/."""

import pytest

from knowledge.models import Document
from tests.integration.retrieval.api.test_search import ask, faults
from tests.integration.retrieval.conftest import NOW

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader(castle, client_with):
    return client_with("everyone")


def test_why_not__the_whole_reply(castle, reader):
    document = Document.objects.get(external_id="swallow.txt")
    response = ask(
        reader,
        "why-not",
        question="Who carries a coconut?",
        as_of=NOW.isoformat(),
        document_id=document.pk,
    )
    assert response.status_code == 200
    body = response.json()
    assert body == {
        "document_id": document.pk,
        "external_id": "swallow.txt",
        "title": "",
        "source_name": "Camelot",
        "rank": 1,
        "top_k": 10,
        "keyword_score": body["keyword_score"],
        "similarity": body["similarity"],
        "reasons": body["reasons"],
    }
    assert body["reasons"][0] == "It stands at place 1, among those shown."


def test_why_not__by_source_and_external_id(reader):
    response = ask(
        reader, "why-not", question="coconut", source="Camelot", external_id="swallow.txt"
    )
    assert response.json()["rank"] == 1


def test_why_not__what_may_not_be_read_is_unknown(castle, reader, client_with):
    castle.add("secret.txt", "A coconut for the court.", access_tags=("court",))
    pk = Document.objects.get(external_id="secret.txt").pk
    secret = ask(reader, "why-not", question="coconut", document_id=pk)
    missing = ask(reader, "why-not", question="coconut", document_id=pk + 1_000)
    assert (secret.status_code, missing.status_code) == (404, 404)
    assert secret.json()["error"]["code"] == "unknown_document"
    assert secret.json()["error"]["message"] == missing.json()["error"]["message"]
    court = client_with("court")
    assert ask(court, "why-not", question="coconut", document_id=pk).status_code == 200


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ({}, {"document_id": "required"}),
        ({"document_id": 0}, {"document_id": "min_value"}),
        ({"document_id": 2**70}, {"document_id": "max_value"}),
        ({"document_id": "grail"}, {"document_id": "invalid"}),
    ],
)
def test_why_not__a_bad_document_is_named(reader, body, fault):
    response = ask(reader, "why-not", question="coconut", **body)
    assert (response.status_code, faults(response)) == (400, fault)
