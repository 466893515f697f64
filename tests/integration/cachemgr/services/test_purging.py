"""Purging: only what is not served, unless told otherwise."""

from datetime import timedelta

import pytest

from cachemgr.models import CachedCitation, CachedResponse, StoreKey
from cachemgr.services import Purge, forget, purge, purging
from cachemgr.types import HitKind
from tests.factories.knowledge import ChunkFactory, SourceTypeFactory
from tests.integration.cachemgr.conftest import NOW

pytestmark = pytest.mark.django_db

OTHER_QUESTION = "Who leads the sales team?"


@pytest.fixture
def other_chunk(db):
    return ChunkFactory(
        document__source__source_type=SourceTypeFactory(slug="news_article", cache_ttl_days=1)
    )


@pytest.fixture
def both(conversation, other_chunk):
    """Two answers from two sources; one lives a week, the other a day."""
    conversation.store("Long [1].")
    key = conversation.offer(OTHER_QUESTION, chunks=[other_chunk])
    conversation.store("Short [1].", key=key)
    return conversation


def test_purge__expired(both):
    later = NOW + timedelta(days=1)
    assert purge(now=later) == Purge(responses=1, store_keys=2)
    assert CachedResponse.objects.get().answer == "Long [1]."
    assert CachedCitation.objects.count() == 1
    assert both.look_up(now=later).kind == HitKind.EXACT


def test_purge__nothing_to_do(both):
    assert purge(now=NOW) == Purge(responses=0, store_keys=0)


def test_purge__invalidated(both):
    forget(response_id=CachedResponse.objects.get(answer="Long [1].").pk, now=NOW)
    assert purge(now=NOW) == Purge(responses=1, store_keys=0)


def test_purge__one_source(both, other_chunk):
    assert purge(now=NOW, source_id=other_chunk.source_id) == Purge(responses=1, store_keys=0)
    assert CachedResponse.objects.get().answer == "Long [1]."


def test_purge__everything_in_batches(both, monkeypatch):
    monkeypatch.setattr(purging, "ROWS_PER_TRANSACTION", 1)
    assert purge(now=NOW, everything=True) == Purge(responses=2, store_keys=2)
    assert not CachedResponse.objects.exists()
    assert not CachedCitation.objects.exists()
    assert not StoreKey.objects.exists()
