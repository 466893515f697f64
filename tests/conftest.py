"""Fixtures of all tests."""

import pytest

from knowledge.seed import seed_source_types


@pytest.fixture(autouse=True)
def hashing_embedder(request, settings):
    """Embed without a model, unless a test asks for the real one."""
    if request.node.get_closest_marker("acceptance") is None:
        settings.CRMIND_KNOWLEDGE = {"EMBEDDING_PROVIDER": "hashing"}


@pytest.fixture
def seeded(db):
    """Give the source types of a fresh installation."""
    seed_source_types()
