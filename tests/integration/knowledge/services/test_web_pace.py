"""The pace at which hosts are asked, with several runs at once."""

from datetime import timedelta

import pytest
from django.core.management import CommandError
from django.utils import timezone

from knowledge.fetching.client import Fetcher
from knowledge.fetching.pace import OwnPace
from knowledge.models import IngestionRun, WebHost
from knowledge.services.web_pace import SharedPace, forget_hosts
from tests.integration.knowledge.fetching.test_client import settings as fetch_settings
from tests.integration.knowledge.management.test_ingest import ingest

pytestmark = pytest.mark.django_db


@pytest.fixture(params=[OwnPace, SharedPace])
def pace(request):
    return request.param()


def turn(pace, host="wiki.example", pause=10.0):
    return pace.take_turn(host, pause=pause, patience=60.0)


def test_take_turn__one_after_another(pace):
    waits = [turn(pace), turn(pace, pause=30.0), turn(pace), turn(pace, host="other.example")]

    assert [round(each.seconds) for each in waits] == [0, 10, 40, 0]
    assert not any(each.is_refused for each in waits)


def test_take_turn__of_a_host_that_asked_to_be_left_alone(pace):
    pace.leave_alone("wiki.example", seconds=50)
    pace.leave_alone("wiki.example", seconds=20)
    pace.leave_alone("busy.example", seconds=3600)

    assert round(turn(pace).seconds) == 50
    assert round(turn(pace).seconds) == 60
    refused = turn(pace, host="busy.example")
    assert (refused.is_refused, round(refused.seconds)) == (True, 3600)


def test_fetcher__two_runs_at_one_host_go_no_faster_than_one(site):
    pauses = []
    slow = fetch_settings(interval_seconds=5.0)
    with (
        Fetcher(slow, pace=SharedPace(), sleep=pauses.append) as one,
        Fetcher(slow, pace=SharedPace(), sleep=pauses.append) as other,
    ):
        one.fetch(site.page("/a"))
        other.fetch(site.page("/b"))

    # Each asks for robots.txt and a page.
    assert [round(pause) for pause in pauses] == [5, 10, 15]


def test_ingest__a_host_that_wants_hours_is_left_alone_by_later_runs(site, seeded):
    site.pages["/feed.xml"] = 429
    site.headers["/feed.xml"] = {"Retry-After": "7200"}
    with pytest.raises(CommandError, match="left alone for 7200 seconds"):
        ingest(f"{site.url}/feed.xml", source="news")
    site.hits.clear()

    with pytest.raises(CommandError, match=r"left alone for 7\d\d\d more seconds"):
        ingest(site.page("/a", text="Holy Grail"), source="wiki")

    assert not site.hits
    assert IngestionRun.objects.first().status == "failed"
    WebHost.objects.update(alone_until=timezone.now())
    assert ingest(site.url + "/a", source="wiki")[0] == 0


def test_forget_hosts__keeps_those_that_want_to_be_left_alone():
    now = timezone.now()
    long_ago = now - timedelta(days=2)
    WebHost.objects.bulk_create(
        [
            WebHost(host="idle.example", next_at=long_ago),
            WebHost(host="busy.example", next_at=long_ago, alone_until=now + timedelta(hours=1)),
            WebHost(host="new.example", next_at=now),
        ]
    )

    forget_hosts(now=now)

    assert set(WebHost.objects.values_list("host", flat=True)) == {"busy.example", "new.example"}
