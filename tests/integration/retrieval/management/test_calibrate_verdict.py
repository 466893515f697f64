"""`manage.py calibrate_verdict`."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from retrieval.models import GoldenQuestion, RankingProfile
from retrieval.seed import seed_profiles
from retrieval.services import get_profile


def run(*arguments):
    output = StringIO()
    call_command("calibrate_verdict", *map(str, arguments), stdout=output)
    return output.getvalue()


@pytest.fixture
def golden(castle, monkeypatch):
    command = "retrieval.management.commands.calibrate_verdict"
    monkeypatch.setattr(f"{command}.get_embedder", lambda: castle.embedder)
    for text, is_answerable in (
        ("Who carries a coconut?", True),
        ("Where is the grail?", True),
        ("vrolk tindabesh quoopal", False),
    ):
        GoldenQuestion.objects.create(text=text, is_answerable=is_answerable)


@pytest.mark.django_db
def test_calibrate_verdict__golden_questions(golden):
    output = run("--golden", "--apply", "balanced")
    assert "2 answerable and 1 unanswerable questions; area under ROC 1.0000." in output
    assert "Set on profile balanced." in output
    profile = get_profile()
    proposed = (
        f"Proposed: answerable_confidence {profile.answerable_confidence:.2f}, "
        f"weak_confidence {profile.weak_confidence:.2f}."
    )
    assert proposed in output
    assert RankingProfile.objects.get(slug="balanced").versions.count() == 1


@pytest.mark.django_db
def test_calibrate_verdict__without_apply_nothing_changes(golden):
    before = get_profile()
    assert "Set on" not in run("--golden")
    assert get_profile() == before


@pytest.mark.django_db(transaction=True)
def test_calibrate_verdict__a_set(tmp_path, settings):
    settings.STATE_DIR = tmp_path / "state"
    directory = tmp_path / "camelot"
    directory.mkdir()
    (directory / "corpus.jsonl").write_text(
        json.dumps({"_id": "grail", "text": "The grail is in the castle of Anthrax."})
    )
    rows = [
        {"_id": "q1", "text": "castle of the grail"},
        {"_id": "q2", "text": "vrolk tindabesh", "metadata": {"answerable": False}},
    ]
    (directory / "queries.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (directory / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq1\tgrail\t1\n")
    seed_profiles()
    output = run(directory)
    assert "1 answerable and 1 unanswerable questions; area under ROC 1.0000." in output


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Give folders of evaluation sets, or --golden for the golden questions."),
        (["somewhere", "--golden"], "Give folders of evaluation sets, or --golden"),
        (["--golden", "--precision", "0"], "--precision is 0; it has to be above 0"),
        (["--golden", "--apply", "nope"], "There is no ranking profile 'nope' to set them on."),
        (["--golden"], "0 answerable and 0 unanswerable questions were found"),
    ],
)
def test_calibrate_verdict__one_clear_line(castle, arguments, message):
    with pytest.raises(CommandError) as caught:
        run(*arguments)
    assert message in str(caught.value)
