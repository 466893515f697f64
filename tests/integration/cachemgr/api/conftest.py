"""Clients of the API that hold different access tags."""

import pytest
from rest_framework.test import APIClient

from knowledge.models import ApiKey


@pytest.fixture
def client_with(db):
    """Return a function that makes a client whose key holds these tags."""

    def make(*tags):
        _, key = ApiKey.objects.create_key(name="chat", access_tags=list(tags) or ["everyone"])
        client = APIClient()
        client.credentials(HTTP_AUTHORIZATION=f"Api-Key {key}")
        return client

    return make


@pytest.fixture
def client(client_with):
    return client_with()
