"""People signed in, by role."""

import pytest

from crmind.roles import CURATOR, VIEWER
from tests.factories.staff import StaffFactory


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
