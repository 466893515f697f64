"""`manage.py evaluate_cache`: the figures of a small set, and what is refused."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from knowledge.embedding.hashing import HashingEmbedder

TABLE = """\
q1\tq2\tlabel\tkind\tnote
What is the refund period?\twhat is the refund period\t1\tsurface\tx
Who owns the Acme account?\tWho owns the Globex account?\t0\tnames\tx
When does the contract with Acme end?\tWhen does the contract with Acme begin?\t0\tpolarity\tx
How do I pay my bill?\tHow do I pay my bills?\t0\tsurface\ty
"""


@pytest.fixture(autouse=True)
def own_state(settings, tmp_path):
    settings.STATE_DIR = tmp_path / "state"
    settings.CRMIND_CACHE = {"SIMILARITY_THRESHOLD": 0.5}


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "own.tsv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def run(*arguments):
    output = StringIO()
    call_command("evaluate_cache", *map(str, arguments), stdout=output)
    return output.getvalue()


def test_evaluate_cache__json(table):
    (result,) = json.loads(run(table, "--json"))["results"]
    guards = {name: counts for name, counts in result.pop("guards").items() if any(counts.values())}
    assert result == {
        "set": "own",
        "pairs": 4,
        "threshold": 0.5,
        "positives": 1,
        "hit_rate": 1.0,
        "negatives": 3,
        "false_hit_rate": 0.3333,
        "false_hit_ci95": [0.0615, 0.7923],
        "rule_only": {"threshold": 0.95, "hit_rate": 1.0, "false_hit_rate": 0.0},
        "kinds": {
            "names": {
                "positives": 0,
                "hit_rate": None,
                "negatives": 1,
                "false_hit_rate": 0.0,
                "false_hit_ci95": [0.0, 0.7935],
            },
            "polarity": {
                "positives": 0,
                "hit_rate": None,
                "negatives": 1,
                "false_hit_rate": 0.0,
                "false_hit_ci95": [0.0, 0.7935],
            },
            "surface": {
                "positives": 1,
                "hit_rate": 1.0,
                "negatives": 1,
                "false_hit_rate": 1.0,
                "false_hit_ci95": [0.2065, 1.0],
            },
        },
    }
    refused = {"refused_rightly": 1, "refused_wrongly": 0, "alone_rightly": 0, "alone_wrongly": 0}
    assert guards == {
        "any": {**refused, "refused_rightly": 2},
        "names": refused,
        "polarity": refused,
        "content": {**refused, "refused_rightly": 2},
    }


def test_evaluate_cache__threshold_and_false_hits(table):
    found = json.loads(run(table, "--json", "--threshold", "0.2", "--list-false-hits", "5"))
    (result,) = found["results"]
    assert result["threshold"] == result["rule_only"]["threshold"] == 0.2
    (wrong,) = result["false_hits"]
    assert (wrong["q1"], wrong["q2"]) == ("How do I pay my bill?", "How do I pay my bills?")
    assert wrong["similarity"] > 0.2


def test_evaluate_cache__calibrate(table):
    calibration = json.loads(run(table, "--json", "--calibrate"))["calibration"]
    assert calibration["false_hit_budget"] == 0.01
    assert calibration["false_hit_rate"] == 0.0
    assert calibration["hit_rate"] == 1.0
    assert 0.5 < calibration["threshold"] < 1.0
    generous = json.loads(run(table, "--json", "--calibrate", "--false-hit-budget", "0.5"))
    assert generous["calibration"]["threshold"] == 0.0


def test_evaluate_cache__where(table):
    (result,) = json.loads(run(table, "--json", "--where", "note=x", "--where", "label=0"))[
        "results"
    ]
    assert (result["pairs"], result["negatives"]) == (2, 2)


def test_evaluate_cache__table(table):
    output = run(table, table, "--calibrate", "--list-false-hits", "1")
    assert output.count("How do I pay my bill? | How do I pay my bills?") == 2
    assert "own: refused by" in output
    assert "cache, polarity" in output
    assert "Proposed for at most 1.00% false hits: SIMILARITY_THRESHOLD 0." in output


def test_evaluate_cache__a_second_run_embeds_nothing(table, monkeypatch):
    first = run(table, "--json")

    def refuse(*_):
        message = "nothing is left to embed"
        raise AssertionError(message)

    monkeypatch.setattr(HashingEmbedder, "embed_query", refuse)
    assert run(table, "--json") == first


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--threshold", "1.5"], "--threshold is 1.5; it has to be from -1 to 1."),
        (["--false-hit-budget", "-0.1"], "--false-hit-budget is -0.1; it has to be from 0 to 1."),
        (["--where", "half"], "--where is 'half'; it has to be like half=unseen."),
        (["--where", "half=x"], "line 1: there is no column 'half'"),
        (["--where", "note=z"], "has no pairs of that sort."),
    ],
)
def test_evaluate_cache__one_clear_line(table, arguments, message):
    with pytest.raises(CommandError) as caught:
        run(table, *arguments)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
