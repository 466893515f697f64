"""Clients of the API."""

import pytest
from rest_framework.test import APIClient

from knowledge.models import ApiKey


@pytest.fixture
def client_with():
    """Return a function that gives a client holding the given tags."""

    def build(*tags, can_write=False):
        _, key = ApiKey.objects.create_key(
            name="test", access_tags=list(tags) or ["everyone"], can_write=can_write
        )
        client = APIClient(raise_request_exception=False)
        client.credentials(HTTP_AUTHORIZATION=f"Api-Key {key}")
        return client

    return build


@pytest.fixture
def writer(seeded, client_with):
    """Give a client that may write for everyone and for sales."""
    return client_with("everyone", "sales", can_write=True)
