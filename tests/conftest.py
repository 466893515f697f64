"""Fixtures of all tests."""

import pytest

from knowledge.seed import seed_source_types


@pytest.fixture(autouse=True)
def hashing_embedder(request, settings):
    """Embed without a model, unless a test asks for the real one."""
    if request.node.get_closest_marker("acceptance") is None:
        settings.CRMIND_KNOWLEDGE = {"EMBEDDING_PROVIDER": "hashing"}
    else:
        # What is found must not depend on how busy the machine is.
        unlimited = {"QUERY_EMBEDDING_TIMEOUT_MS": 0}
        settings.CRMIND_KNOWLEDGE = {**settings.CRMIND_KNOWLEDGE, **unlimited}


@pytest.fixture
def seeded(db):
    """Give the source types of a fresh installation."""
    seed_source_types()
