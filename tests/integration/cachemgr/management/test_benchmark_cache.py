"""`manage.py benchmark_cache`, small."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from cachemgr.models import CachedResponse

pytestmark = pytest.mark.django_db(transaction=True)


def run(*arguments):
    output = StringIO()
    call_command("benchmark_cache", *map(str, arguments), stdout=output)
    return output.getvalue()


def test_benchmark_cache__json():
    own = connection.settings_dict["NAME"]
    report = json.loads(run("--entries", 2_000, "--queries", 2, "--json"))
    assert report["entries"] == 2_000
    scopes = report["scopes"]
    assert {name: figures["entries"] for name, figures in scopes.items()} == {
        "large": pytest.approx(1_000, abs=3),
        "medium": pytest.approx(200, abs=3),
        "small": pytest.approx(20, abs=3),
        "tiny": 1,
    }
    for figures in scopes.values():
        assert figures["exact"]["p50_ms"] > 0
        assert figures["exact"]["statements"] == 1
        # Whether they are few; the session and the nearest, in one transaction; the names in them.
        assert figures["semantic"]["statements"] <= 6
        assert figures["semantic"]["recall@1"] == 1.0
    assert connection.settings_dict["NAME"] == own
    assert not CachedResponse.objects.exists()


def test_benchmark_cache__too_few():
    with pytest.raises(CommandError, match=r"--entries is 5; it has to be 2000 or more\."):
        run("--entries", 5)
