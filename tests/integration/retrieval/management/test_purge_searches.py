"""`manage.py purge_searches`."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from retrieval.models import SearchLog
from tests.factories.retrieval import SearchLogFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def asked():
    """Searches of today, of 40 and of 100 days ago."""
    for days in (0, 40, 100):
        entry = SearchLogFactory(question=f"{days} days ago")
        made_at = timezone.now() - timedelta(days=days)
        SearchLog.objects.filter(pk=entry.pk).update(created_at=made_at)


def purge(*arguments):
    output = StringIO()
    call_command("purge_searches", *arguments, stdout=output)
    return output.getvalue()


def left():
    return sorted(SearchLog.objects.values_list("question", flat=True))


def test_purge_searches__beyond_the_days_of_the_setting(asked, settings):
    assert purge() == "Deleted 1 search from the log.\n"
    assert left() == ["0 days ago", "40 days ago"]
    settings.CRMIND_RETRIEVAL = {"SEARCH_LOG_DAYS": 30}
    assert purge() == "Deleted 1 search from the log.\n"
    assert left() == ["0 days ago"]


def test_purge_searches__beyond_the_days_asked_for(asked):
    assert purge("--days", "50") == "Deleted 1 search from the log.\n"
    assert purge("--days", "0") == "Deleted 2 searches from the log.\n"
    assert left() == []


@pytest.mark.parametrize("days", ["-1", "999999999999"])
def test_purge_searches__impossible_days(asked, days):
    with pytest.raises(CommandError, match=r"it may be 0 to 36,500\."):
        purge(f"--days={days}")
    assert len(left()) == 3
