"""Clients of the API, and the embedder it uses."""

import pytest

from tests.integration.knowledge.api.conftest import client_with
from tests.integration.retrieval.conftest import CountingEmbedder

__all__ = ["client_with"]


@pytest.fixture
def embedder(monkeypatch):
    """Give the embedder that the API uses."""
    counting = CountingEmbedder()
    for user in ("retrieval.pipeline", "cachemgr.api.asking"):
        monkeypatch.setattr(f"{user}.get_query_embedder", lambda: counting)
    return counting
