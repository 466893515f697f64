"""API, command and preview tell the same of a search, and of a document that is missed."""

import json
from dataclasses import asdict
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command

from knowledge.models import Document
from knowledge.services import set_document_trust, supersede_document
from retrieval.explain import explain_receipt
from tests.integration.knowledge.api.conftest import client_with
from tests.integration.retrieval.conftest import NOW

__all__ = ["client_with"]

pytestmark = pytest.mark.django_db

QUESTION = "refunds within 14 days"
AS_OF = "2031-07-20T12:00:00+00:00"


@pytest.fixture
def policies(library):
    """Give an old policy behind its successor, a long leaflet, and one that is filtered out."""
    old = library.add("v1.txt", "Refunds within 14 days.", published_at=NOW - timedelta(days=90))
    new = library.add("v2.txt", "Refunds within 30 days.", published_at=NOW - timedelta(days=9))
    supersede_document(old=old, new=new, now=NOW)
    parts = "\n\n".join(f"# Part {n}\n\nRefunds of parcel {n} take days." for n in range(5))
    library.add("leaflet.txt", parts, published_at=NOW - timedelta(days=30))
    set_document_trust(document=Document.objects.get(external_id="leaflet.txt"), trust=0.3)
    library.add("mail.txt", "Refunds, refunds!", source="Mail", type_slug="email")


@pytest.fixture
def client_of_api(policies, client_with):
    return client_with("everyone")


def from_api(client, path, **body):
    body = {"question": QUESTION, "as_of": AS_OF, "types": ["blog_post"], **body}
    response = client.post(f"/api/v1/{path}/", body, format="json")
    assert response.status_code == 200
    return response.json()


def from_command(*options):
    output = StringIO()
    call_command(
        "search", QUESTION, "--as-of", AS_OF, "--type", "blog_post", *options, stdout=output
    )
    return output.getvalue()


def from_preview(client, **values):
    asked = {"question": QUESTION, "as_of": "2031-07-20T12:00", "types": "blog_post", **values}
    return client.get("/admin/preview/", asked)


def column_of(preview):
    (column,) = preview.context["columns"]
    return column


def test_receipts__are_the_same(client_of_api, admin_client):
    api = from_api(client_of_api, "search")
    command = json.loads(from_command("--json"))
    preview = column_of(from_preview(admin_client)).result
    receipts = [hit["receipt"] for hit in api["hits"]]
    assert len(receipts) >= 3
    assert any(receipt["superseded_by"] for receipt in receipts)
    assert [hit["receipt"] for hit in command["hits"]] == receipts
    assert json.loads(json.dumps([asdict(hit.receipt) for hit in preview.hits])) == receipts
    assert command["judgment"] == api["judgment"]
    assert asdict(preview.judgment) == {
        **api["judgment"],
        "reasons": tuple(api["judgment"]["reasons"]),
    }
    assert command["interpretation"] == api["interpretation"] == preview.interpretation


def test_receipts__in_words_hold_the_same_numbers(client_of_api, admin_client):
    hits = column_of(from_preview(admin_client)).result.hits
    explained = [line.strip() for line in from_command("--explain").splitlines()]
    for hit in hits:
        assert set(explain_receipt(hit.receipt)) <= set(explained)


@pytest.mark.parametrize("external_id", ["v1.txt", "v2.txt", "leaflet.txt", "mail.txt"])
def test_why_not__is_the_same(client_of_api, admin_client, external_id):
    document = Document.objects.get(external_id=external_id)
    api = from_api(client_of_api, "why-not", document_id=document.pk)
    command = json.loads(from_command("--why-not", external_id, "--json"))
    in_words = from_command("--why-not", str(document.pk)).splitlines()
    preview = from_preview(admin_client, why_not=document.pk)
    absence = asdict(column_of(preview).absence)
    assert api == command == {**absence, "reasons": list(absence["reasons"])}
    assert [line.strip() for line in in_words[1:]] == api["reasons"]
    page = preview.content.decode()
    assert api["reasons"][0] in page.replace("&#x27;", "'")
