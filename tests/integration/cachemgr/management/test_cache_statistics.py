"""`cache_statistics`: what the cache did, day by day."""

import io
import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from cachemgr.services.counting import count_outcome

pytestmark = pytest.mark.django_db


def run(*arguments):
    out = io.StringIO()
    call_command("cache_statistics", *arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def asked(settings):
    settings.CRMIND_CACHE = {"PRICE_PER_1000_TOKENS": 2.0}
    now = timezone.now()
    count_outcome("exact", now=now, tokens_saved=1_500)
    count_outcome("no_match", now=now)
    count_outcome("exact", now=now - timedelta(days=9), tokens_saved=1)
    return timezone.localdate().isoformat()


def test_cache_statistics__lines(asked):
    assert run() == (
        f"{asked}  exact                           1  1,500 tokens, 3.00\n"
        f"{asked}  no_match                        1\n"
    )


def test_cache_statistics__json(asked):
    assert json.loads(run("--json", "--days", "1")) == {
        "counts": [
            {
                "day": asked,
                "outcome": "exact",
                "count": 1,
                "tokens_saved": 1_500,
                "money_saved": 3.0,
            },
            {
                "day": asked,
                "outcome": "no_match",
                "count": 1,
                "tokens_saved": 0,
                "money_saved": 0.0,
            },
        ]
    }


def test_cache_statistics__nothing():
    assert run() == "Nothing was asked.\n"
    with pytest.raises(CommandError, match="--days is 0"):
        run("--days", "0")
