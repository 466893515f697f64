"""`manage.py evaluate`, in a database of its own."""

import json
import os
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from knowledge.embedding.hashing import HashingEmbedder
from knowledge.models import Document
from retrieval.evaluation import runner
from retrieval.evaluation.scratch import PREFIX
from retrieval.models import SearchLog
from retrieval.seed import seed_profiles
from retrieval.services import save_profile
from tests.unit.knowledge.embedding.test_cross_encoder import save_cross_encoder

pytestmark = pytest.mark.django_db(transaction=True)

CORPUS = {
    "grail": "The grail is in the castle of Anthrax.",
    "swallow": "An unladen swallow carries a coconut by the husk.",
    "bridge": "The keeper of the bridge of death asks three questions.",
}
QUERIES = {"q1": "castle of the grail", "q2": "coconut swallow"}
QRELS = "query-id\tcorpus-id\tscore\nq1\tgrail\t1\nq2\tswallow\t1\n"


@pytest.fixture
def beir(tmp_path):
    directory = tmp_path / "camelot"
    directory.mkdir()
    for name, texts in (("corpus", CORPUS), ("queries", QUERIES)):
        rows = [json.dumps({"_id": key, "text": text}) for key, text in texts.items()]
        (directory / f"{name}.jsonl").write_text("\n".join(rows))
    (directory / "qrels.tsv").write_text(QRELS)
    return directory


@pytest.fixture(autouse=True)
def state_directory(settings, tmp_path):
    settings.STATE_DIR = tmp_path / "state"
    seed_profiles()


def run(*arguments):
    output = StringIO()
    call_command("evaluate", *map(str, arguments), stdout=output)
    return output.getvalue()


def scratch_databases():
    """Those of this process: other tests may be evaluating beside it."""
    own = f"{PREFIX}{os.getpid()}_"
    with connection.cursor() as cursor:
        cursor.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [own])
        return [name for (name,) in cursor.fetchall()]


def test_evaluate__json(beir):
    own = connection.settings_dict["NAME"]
    (result,) = json.loads(run(beir, "--json"))["results"]
    arms = result.pop("arms")
    assert result == {"dataset": "camelot", "documents": 3, "queries": 2, "profile": "balanced"}
    assert list(arms) == ["keyword", "vector", "hybrid"]
    for measures in arms.values():
        assert measures.pop("p50_ms") > 0
        assert measures.pop("p95_ms") > 0
        assert measures == {
            "ndcg@10": 1.0,
            "recall@10": 1.0,
            "recall@100": 1.0,
            "mrr@10": 1.0,
        }
    assert connection.settings_dict["NAME"] == own
    assert scratch_databases() == []
    assert not Document.objects.exists()
    assert not SearchLog.objects.exists()


@pytest.fixture
def labelled(beir):
    """A set with kinds of questions, a stale document and a question that nothing answers."""
    rows = [
        {"_id": "q1", "text": "castle of the grail", "metadata": {"kind": "place"}},
        {"_id": "q2", "text": "coconut swallow", "metadata": {"kind": "cargo"}},
        {"_id": "q3", "text": "vrolk tindabesh", "metadata": {"answerable": False}},
    ]
    (beir / "queries.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (beir / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq1\tgrail\t1\nq2\tbridge\t1\n")
    (beir / "stale.tsv").write_text("query-id\tcorpus-id\tscore\nq2\tswallow\t0\n")
    return beir


def test_evaluate__kinds_stale_documents_and_verdicts(labelled):
    (result,) = json.loads(run(labelled, "--json"))["results"]
    assert result["queries"] == 2
    assert result["arms"]["hybrid"]["stale@1"] == 0.5
    assert result["kinds"]["place"] == {
        "ndcg@10": 1.0,
        "recall@10": 1.0,
        "mrr@10": 1.0,
        "stale@1": 0.0,
    }
    assert result["kinds"]["cargo"]["stale@1"] == 1.0
    assert result["kinds"]["cargo"]["mrr@10"] < 1.0
    assert result["verdict_auroc"] == 1.0
    verdicts = result["verdicts"]
    assert verdicts["answerable"] == {"answerable": 2, "weak": 0, "conflicting": 0, "none": 0}
    assert verdicts["unanswerable"] == {"answerable": 0, "weak": 0, "conflicting": 0, "none": 1}
    table = run(labelled)
    assert "camelot, cargo: ndcg@10 " in table
    assert "camelot, answerable or not: area under ROC 1.0" in table


def test_evaluate__filters_of_the_set_are_given_or_left_aside(beir):
    rows = [
        {"_id": "q1", "text": "castle of the grail", "metadata": {"filter": {"entity": "arthur"}}},
        {"_id": "q2", "text": "coconut swallow"},
    ]
    (beir / "queries.jsonl").write_text("\n".join(map(json.dumps, rows)))
    entity = {"kind": "person", "external_id": "arthur", "name": "King Arthur"}
    (beir / "entities.jsonl").write_text(json.dumps(entity))
    # No document is about the entity, so its filter leaves nothing.
    (given,) = json.loads(run(beir, "--json"))["results"]
    (inferred,) = json.loads(run(beir, "--json", "--infer-filters"))["results"]
    assert given["arms"]["hybrid"]["recall@10"] == 0.5
    assert inferred["arms"]["hybrid"]["recall@10"] == 1.0


def test_evaluate__baseline_reference_is_asked_in_the_same_run(beir):
    rows = [
        {"_id": "q1", "text": "castle of the grail"},
        # No document holds every word, and hashed vectors are too far away: the reference is lost.
        {"_id": "q2", "text": "which knight saw that swallow with its heavy coconut yesterday"},
    ]
    (beir / "queries.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (result,) = json.loads(run(beir, "--json", "--baseline", "reference"))["results"]
    assert list(result["arms"]) == ["keyword", "vector", "hybrid", "reference"]
    assert result["arms"]["hybrid"]["ndcg@10"] == 1.0
    assert result["arms"]["reference"]["ndcg@10"] == 0.5
    comparison = result["comparisons"]["reference"]
    assert isinstance(comparison.pop("p50_ms"), float)
    assert comparison == {
        "ndcg@10": 0.5,
        "interval": [0.0, 1.0],
        "p_value": 1.0,
        "wins": 1,
        "ties": 1,
        "losses": 0,
    }
    table = run(beir, "--baseline", "reference")
    assert "camelot, hybrid (balanced) less reference: ndcg@10 +0.5000 (+0.0000 to +1.0000)" in (
        table
    )
    assert "1 better, 1 equal, 0 worse" in table


def test_evaluate__two_profiles_against_each_other(beir):
    words = {"slug": "words", "label": "Words", "status": "published", "vector_weight": 0.0}
    save_profile(profile=None, changes=words)
    (result,) = json.loads(run(beir, "--json", "--against", "words"))["results"]
    assert (result["profile"], result["against"]) == ("balanced", "words")
    assert result["arms"]["against"]["ndcg@10"] == 1.0
    assert result["comparisons"]["against"]["ties"] == 2
    assert result["comparisons"]["against"]["p_value"] == 1.0
    assert "hybrid (balanced) less hybrid (words): ndcg@10 +0.0000" in run(
        beir, "--against", "words"
    )


def test_evaluate__what_a_reranker_gains_and_costs(beir, tmp_path_factory, settings):
    model = str(save_cross_encoder(tmp_path_factory.mktemp("tiny")))
    settings.CRMIND_RETRIEVAL = {"RERANKER_MODEL": model}
    (result,) = json.loads(run(beir, "--json"))["results"]
    assert list(result["arms"]) == ["keyword", "vector", "hybrid", "unreranked"]
    assert result["arms"]["unreranked"]["ndcg@10"] == 1.0
    gained = result["arms"]["hybrid"]["ndcg@10"] - result["arms"]["unreranked"]["ndcg@10"]
    assert result["comparisons"]["unreranked"]["ndcg@10"] == pytest.approx(gained, abs=1e-4)
    assert result["comparisons"]["unreranked"]["p50_ms"] > 0
    assert "hybrid (balanced) less hybrid without reranker: ndcg@10 " in run(beir)


def test_evaluate__a_reranker_that_does_not_load_measures_nothing(beir, tmp_path, settings):
    settings.CRMIND_RETRIEVAL = {"RERANKER_MODEL": str(tmp_path)}
    with pytest.raises(CommandError, match="cannot be loaded"):
        run(beir)


def test_evaluate__a_second_run_embeds_nothing(beir, monkeypatch):
    first = json.loads(run(beir, "--json", "--arms", "vector"))

    def refuse(*_):
        message = "nothing is left to embed"
        raise AssertionError(message)

    monkeypatch.setattr(HashingEmbedder, "embed_passages", refuse)
    monkeypatch.setattr(HashingEmbedder, "embed_query", refuse)
    second = json.loads(run(beir, "--json", "--arms", "vector"))
    (one,), (other,) = first["results"], second["results"]
    assert one["arms"]["vector"]["ndcg@10"] == other["arms"]["vector"]["ndcg@10"]


def test_evaluate__table(beir):
    output = run(beir, beir, "--arms", "keyword,hybrid")
    assert output.count("camelot") == 4
    assert "hybrid (balanced)" in output
    assert "1.0000" in output


def test_evaluate__the_scratch_database_goes_even_after_an_interruption(beir, monkeypatch):
    own = connection.settings_dict["NAME"]

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(runner, "evaluate_arm", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run(beir)
    assert connection.settings_dict["NAME"] == own
    assert scratch_databases() == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--arms", "keyword,nope"],
            "--arms is 'keyword,nope'; it may hold keyword,vector,hybrid.",
        ),
        (["--profile", "nope"], "There is no published ranking profile 'nope'."),
        (["--against", "nope"], "There is no published ranking profile 'nope'."),
        (
            ["--arms", "keyword", "--against", "balanced"],
            "--against is compared with hybrid, which --arms leaves out.",
        ),
        (["--arms", "reference"], "--arms is 'reference'; it may hold keyword,vector,hybrid."),
        (["--limit", "0"], "--limit is 0; it has to be 1 or more."),
    ],
)
def test_evaluate__one_clear_line(beir, arguments, message):
    with pytest.raises(CommandError) as caught:
        run(beir, *arguments)
    assert message in str(caught.value)
    assert scratch_databases() == []


def test_evaluate__a_folder_that_is_no_set(tmp_path):
    with pytest.raises(CommandError, match="it is not in BEIR layout"):
        run(tmp_path)
    with pytest.raises(CommandError, match="is not a folder"):
        run(tmp_path / "nowhere")
