"""Tasks of the cache: what the worker does at night."""

from datetime import UTC, datetime

import pytest
from django_q.models import Schedule

from cachemgr.models import CachedResponse, CacheEvent
from cachemgr.tasks import _next_night, ensure_nightly_purge, purge_nightly
from crmind.bootstrap import seed
from tests.factories.cachemgr import CachedResponseFactory

pytestmark = pytest.mark.django_db

LONG_AGO = datetime(2021, 7, 20, 12, tzinfo=UTC)


def test_seed__schedules_the_purge_once():
    seed()
    schedule = Schedule.objects.get(func="cachemgr.tasks.purge_nightly")
    assert (schedule.schedule_type, schedule.repeats) == (Schedule.DAILY, -1)
    schedule.schedule_type = Schedule.WEEKLY
    schedule.save()
    ensure_nightly_purge()
    again = Schedule.objects.get(func="cachemgr.tasks.purge_nightly")
    assert again.schedule_type == Schedule.WEEKLY


def test_purge_nightly():
    CachedResponseFactory(created_at=LONG_AGO)
    live = CachedResponseFactory()
    CacheEvent.objects.create(at=LONG_AGO, day=LONG_AGO.date(), outcome="exact")
    purge_nightly()
    assert CachedResponse.objects.get() == live
    assert not CacheEvent.objects.exists()


@pytest.mark.parametrize(("hour", "day"), [(2, 20), (3, 21), (23, 21)])
def test_next_night(hour, day):
    now = datetime(2031, 7, 20, hour, 30, tzinfo=UTC)
    assert _next_night(now) == datetime(2031, 7, day, 3, tzinfo=UTC)
