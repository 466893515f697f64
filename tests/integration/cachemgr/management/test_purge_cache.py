"""The purge_cache command."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from cachemgr.models import CachedResponse
from tests.factories.knowledge import ChunkFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def stored(conversation):
    """One answer that is served, one that expired, citing two sources."""
    now = timezone.now()
    other = ChunkFactory(document__source__name="News")
    old = now - timedelta(days=30)
    conversation.store(
        "Old [1].", key=conversation.offer("Who won?", now=old, chunks=[other]), now=old
    )
    conversation.store("Live [1].", now=now)


def purge(*arguments):
    output = StringIO()
    call_command("purge_cache", *arguments, stdout=output)
    return output.getvalue()


def answers():
    return sorted(CachedResponse.objects.values_list("answer", flat=True))


@pytest.mark.parametrize("arguments", [(), ("--expired",)])
def test_purge_cache__expired(stored, arguments):
    assert purge(*arguments) == "Deleted 1 cached answers and 1 store keys.\n"
    assert answers() == ["Live [1]."]


def test_purge_cache__source(stored):
    assert purge("--source", "news") == "Deleted 1 cached answers and 0 store keys.\n"
    assert answers() == ["Live [1]."]


def test_purge_cache__unknown_source(stored):
    with pytest.raises(CommandError, match="There is no source 'Nwes'"):
        purge("--source", "Nwes")


def test_purge_cache__all_without_asking(stored):
    assert purge("--all", "--yes") == "Deleted 2 cached answers and 2 store keys.\n"
    assert answers() == []


@pytest.mark.parametrize(("reply", "left"), [("yes", 0), ("no", 2), ("", 2)])
def test_purge_cache__all_after_asking(stored, monkeypatch, reply, left):
    monkeypatch.setattr("builtins.input", lambda _: reply)
    if left:
        with pytest.raises(CommandError, match="Nothing was deleted"):
            purge("--all")
    else:
        purge("--all")
    assert len(answers()) == left


def test_purge_cache__all_where_nobody_can_be_asked(stored, monkeypatch):
    monkeypatch.setattr("sys.stdin", StringIO())
    with pytest.raises(CommandError, match="or give --yes"):
        purge("--all")
    assert len(answers()) == 2


def test_purge_cache__two_selections(stored):
    with pytest.raises(CommandError, match="not allowed with"):
        purge("--all", "--expired")
