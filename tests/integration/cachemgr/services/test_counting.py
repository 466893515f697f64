"""Counts: nothing is lost or counted twice, added up or not, and nobody waits for anybody."""

from datetime import UTC, date, datetime, timedelta
from uuid import uuid4

import pytest
from django.db import connection, transaction

from cachemgr.models import CachedResponse, CacheEvent, CacheStatistic
from cachemgr.services import counting
from cachemgr.services.counting import OutcomeCount, add_up_events, count_outcome, read_counts
from tests.factories.cachemgr import CachedResponseFactory
from tests.integration.cachemgr.conftest import NOW

pytestmark = pytest.mark.django_db

TODAY = date(2031, 7, 20)


def test_read_counts__the_same_before_and_after_adding_up():
    for outcome, tokens in (("exact", 10), ("exact", 5), ("semantic", 1), ("no_match", 0)):
        count_outcome(outcome, now=NOW, tokens_saved=tokens)
    count_outcome("exact", now=NOW - timedelta(days=1), tokens_saved=7)
    expected = [
        OutcomeCount(day=TODAY, outcome="exact", count=2, tokens_saved=15),
        OutcomeCount(day=TODAY, outcome="no_match", count=1, tokens_saved=0),
        OutcomeCount(day=TODAY, outcome="semantic", count=1, tokens_saved=1),
        OutcomeCount(day=date(2031, 7, 19), outcome="exact", count=1, tokens_saved=7),
    ]
    assert read_counts() == expected
    assert add_up_events() == 5
    assert read_counts() == expected
    count_outcome("exact", now=NOW, tokens_saved=1)
    assert read_counts(since=TODAY)[0] == OutcomeCount(
        day=TODAY, outcome="exact", count=3, tokens_saved=16
    )
    assert add_up_events() == 1
    assert CacheStatistic.objects.get(day=TODAY, outcome="exact").count == 3
    assert not CacheEvent.objects.exists()


def test_add_up_events__hits_of_answers_in_batches(monkeypatch):
    monkeypatch.setattr(counting, "EVENTS_PER_STATEMENT", 2)
    first, second = CachedResponseFactory.create_batch(2)
    moments = [NOW + timedelta(seconds=seconds) for seconds in range(3)]
    for moment in moments:
        count_outcome("exact", now=moment, response_id=first.pk)
    count_outcome("semantic", now=NOW, response_id=second.pk)
    count_outcome("exact", now=NOW, response_id=uuid4())
    before = CachedResponse.objects.with_recent_hits().get(pk=first.pk)
    assert (before.hit_count, before.recent_hits, before.recent_hit_at) == (0, 3, moments[2])
    assert add_up_events() == 5
    after = CachedResponse.objects.with_recent_hits().get(pk=first.pk)
    assert (after.hit_count, after.last_hit_at, after.recent_hits) == (3, moments[2], 0)
    assert CachedResponse.objects.get(pk=second.pk).hit_count == 1


def test_count_outcome__on_the_local_day(settings):
    settings.TIME_ZONE = "Europe/Berlin"
    count_outcome("exact", now=datetime(2031, 7, 20, 22, 30, tzinfo=UTC))
    assert read_counts()[0].day == date(2031, 7, 21)


def test_money_saved__by_the_price_of_the_settings(settings):
    saved = OutcomeCount(day=TODAY, outcome="exact", count=1, tokens_saved=2_500)
    assert saved.money_saved == 0.0
    settings.CRMIND_CACHE = {"PRICE_PER_1000_TOKENS": 0.4}
    assert saved.money_saved == pytest.approx(1.0)


def test_count_outcome__locks_no_row_that_others_count_on(conversation):
    conversation.store()
    with transaction.atomic():
        before = locked_rows()
        conversation.look_up()
        assert locked_rows() == before


def locked_rows():
    """Return how many rows of answers and of statistics this transaction has locked or changed."""
    with connection.cursor() as cursor:
        cursor.execute(
            "select (select count(*) from cachemgr_cachedresponse where xmax <> 0)"
            " + (select count(*) from cachemgr_cachestatistic)"
        )
        return cursor.fetchone()[0]
