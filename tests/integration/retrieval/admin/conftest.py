"""People signed in, by role."""

import pytest

from crmind.roles import CURATOR, VIEWER
from knowledge.models import Source
from knowledge.services import update_source
from tests.factories.retrieval import RankingProfileFactory
from tests.factories.staff import StaffFactory
from tests.integration.retrieval.admin.doubt import WITHOUT_TRUST, judge_all, order_by
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


@pytest.fixture
def doubtful(corpus):
    """Give a draft that trusts nobody, beside one source that is trusted and one that is not."""
    update_source(source=Source.objects.get(name="Chronicle"), trust=1.0, authority_override=1.0)
    update_source(source=Source.objects.get(name="Rumours"), trust=0.0, authority_override=0.0)
    return RankingProfileFactory(label="Doubtful", status="draft", **WITHOUT_TRUST)


@pytest.fixture
def guarded(doubtful, settings):
    """Give that draft, and a golden set large enough to refuse it."""
    settings.CRMIND_RETRIEVAL = {"LEAST_JUDGED_QUESTIONS": 3}
    judge_all(3, right="castle.txt")
    found = order_by("balanced"), order_by(doubtful.slug)
    assert found == (["castle.txt", "rabbit.txt"], ["rabbit.txt", "castle.txt"])
    return doubtful
