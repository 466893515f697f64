"""`manage.py benchmark`, small."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from knowledge.models import Chunk

pytestmark = pytest.mark.django_db(transaction=True)


def run(*arguments):
    output = StringIO()
    call_command("benchmark", *map(str, arguments), stdout=output)
    return output.getvalue()


def test_benchmark__json():
    own = connection.settings_dict["NAME"]
    report = json.loads(run("--chunks", 120, "--queries", 2, "--json"))
    assert report["chunks"] == 120
    assert report["load_seconds"] > 0
    assert report["build_seconds"] > 0
    sorts = {"common", "mixed", "rare"}
    assert report["keyword"].keys() == report["naive_keyword"].keys() == sorts
    assert report["hybrid"].keys() == {*sorts, "1/8", "1/5000"}
    assert {report["keyword"][sort]["overlap@10"] for sort in sorts} == {1.0}
    assert report["concurrency"].keys() == {"1", "4", "16"}
    for times in report["concurrency"].values():
        assert times.keys() == {"p50_ms", "p95_ms", "queries_per_second"}
        assert times["queries_per_second"] > 0
    times = [
        report[arm][sort][measure]
        for arm in ("keyword", "hybrid", "naive_keyword")
        for sort in sorts
        for measure in ("p50_ms", "p95_ms")
    ]
    assert all(time > 0 for time in [*times, report["exact_vector_ms"]])
    assert report["vector"]["recall@10"] == {"none": 1.0, "1/8": 1.0, "1/5000": 1.0}
    assert report["ratios"].keys() == {
        "naive / keyword, common",
        "naive / keyword, mixed",
        "naive / keyword, rare",
        "naive / hybrid, mixed",
    }
    assert connection.settings_dict["NAME"] == own
    assert not Chunk.objects.exists()


def test_benchmark__lines():
    output = run("--chunks", 30, "--queries", 1)
    assert "keyword, common words: p50 " in output
    assert "hybrid, filtered to 1/5000: p50 " in output
    assert "hybrid, 16 at once: p50 " in output
    assert "naive / hybrid, mixed: " in output


@pytest.mark.parametrize("option", ["chunks", "queries"])
def test_benchmark__one_clear_line(option):
    arguments = {"chunks": 10, "queries": 1, option: 0}
    with pytest.raises(CommandError) as caught:
        run(*(part for name, count in arguments.items() for part in (f"--{name}", count)))
    assert str(caught.value) == f"--{option} is 0; it has to be 1 or more."
