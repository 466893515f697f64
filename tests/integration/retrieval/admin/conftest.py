"""People signed in, by role."""

import pytest

from crmind.roles import CURATOR, VIEWER
from tests.factories.staff import StaffFactory
from tests.integration.retrieval.admin.grail import store_corpus


@pytest.fixture
def curator(client, db):
    """Sign a curator in."""
    client.force_login(StaffFactory(role=CURATOR))
    return client


@pytest.fixture
def viewer(client, db):
    """Sign a viewer in."""
    client.force_login(StaffFactory(role=VIEWER))
    return client


@pytest.fixture
def corpus(seeded):
    """Store three passages about a grail, one of them for the sales team alone."""
    store_corpus()
