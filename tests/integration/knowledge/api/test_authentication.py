from datetime import UTC, datetime

import pytest
from rest_framework.test import APIClient

from knowledge.models import ApiKey

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/sources/"


def code_of(response):
    return response.json()["error"]["code"]


@pytest.mark.parametrize("path", ["sources/", "documents/", "entities/"])
def test_api__without_a_key_is_refused(path):
    response = APIClient().get(f"/api/v1/{path}")
    assert response.status_code == 401
    assert code_of(response) == "not_authenticated"


@pytest.mark.parametrize("key", ["nonsense", "abcdefgh.0123456789", "é.ü"])
def test_api__wrong_key_is_refused(key):
    response = APIClient().get(ADDRESS, HTTP_AUTHORIZATION=f"Api-Key {key}")
    assert response.status_code == 401
    assert code_of(response) == "invalid_api_key"


@pytest.mark.parametrize(
    "change", [{"revoked": True}, {"expiry_date": datetime(2020, 1, 1, tzinfo=UTC)}]
)
def test_api__revoked_or_expired_key_is_refused_at_once(client_with, change):
    client = client_with("everyone")
    assert client.get(ADDRESS).status_code == 200
    for name, value in change.items():
        ApiKey.objects.update(**{name: value})
    assert code_of(client.get(ADDRESS)) == "invalid_api_key"


def test_api__key_that_may_only_read_cannot_write(client_with):
    response = client_with("everyone").post(ADDRESS, {"name": "Mill"})
    assert response.status_code == 403
    assert code_of(response) == "read_only_api_key"


def test_api__only_a_hash_of_the_key_is_kept(client_with):
    client_with("everyone")
    kept = ApiKey.objects.get()
    assert kept.hashed_key.startswith("sha512$$")


@pytest.mark.parametrize("body", ["{", "[1", "\x00"])
def test_api__broken_json_is_a_clear_error(writer, body):
    response = writer.generic("POST", ADDRESS, body, content_type="application/json")
    assert response.status_code == 400
    assert code_of(response) == "parse_error"
