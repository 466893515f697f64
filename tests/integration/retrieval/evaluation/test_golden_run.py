"""An evaluation on the golden set, in the background."""

import pytest
from django.utils import timezone
from django_q.models import OrmQ

from knowledge.models import Document, RunStatus
from knowledge.services import retire_document
from retrieval.models import EvaluationRun, GoldenQuestion, RankingProfile
from retrieval.seed import seed_profiles
from retrieval.services import (
    AskedQuestion,
    cancel_evaluation,
    create_evaluation,
    grade_document,
    save_question,
)
from retrieval.tasks import enqueue_evaluation, evaluate

QUESTIONS = {
    "Where is the grail?": "grail.txt",
    "Who carries a coconut?": "swallow.txt",
    "Who asks three questions?": "bridge.txt",
}


@pytest.fixture
def golden(castle):
    for text, external_id in QUESTIONS.items():
        judge(text, external_id)
    return castle


def judge(text, external_id, grade=3, **limits):
    document = Document.objects.get(external_id=external_id)
    asked = AskedQuestion(text=text, **limits)
    return grade_document(asked=asked, document=document, grade=grade, user=None).question


def profile():
    return RankingProfile.objects.get(slug="balanced")


def run_now():
    run = create_evaluation(profile=profile())
    evaluate(run.pk)
    run.refresh_from_db()
    return run


def test_evaluate__stores_the_figures_of_each_question(golden):
    wrong = judge("What is a grenade good against?", "grail.txt")
    save_question(
        question=GoldenQuestion(text="How tall is Mount Everest?", is_answerable=False), user=None
    )

    run = run_now()

    assert (run.status, run.seen, run.expected, run.question_count) == ("done", 5, 5, 5)
    figures = run.per_question[str(wrong.pk)]
    assert figures["text"] == "What is a grenade good against?"
    first = figures["first"]
    assert first is None or first > 1
    others = [row["ndcg@10"] for row in run.per_question.values() if row["ndcg@10"] is not None]
    assert len(others) == 4
    assert run.measures["hybrid"]["ndcg@10"] == pytest.approx(sum(others) / 4, abs=1e-4)
    assert set(run.measures["verdict"]) == {"evidence found", "rightly without evidence"}
    assert run.finished_at is not None


def test_evaluate__twice_is_harmless(golden):
    run = run_now()
    finished_at = run.finished_at

    evaluate(run.pk)

    run.refresh_from_db()
    assert run.finished_at == finished_at


def test_evaluate__one_that_was_interrupted_starts_again(golden):
    run = create_evaluation(profile=profile())
    EvaluationRun.objects.filter(pk=run.pk).update(status="running", seen=2, expected=9)

    evaluate(run.pk)

    run.refresh_from_db()
    assert (run.status, run.seen, run.expected) == ("done", 3, 3)


def test_evaluate__asks_under_the_limits_of_the_question(golden):
    golden.add("secret.txt", "The grail is under the bed.", access_tags=("sales",))
    question = judge("Where is the grail?", "secret.txt", access_tags=frozenset({"sales"}))

    run = run_now()

    assert run.per_question[str(question.pk)]["first"] is not None
    assert "access_tags=sales" in run.per_question[str(question.pk)]["address"]


def test_evaluate__a_document_that_is_gone_costs_quality(golden):
    before = run_now().measures["hybrid"]["ndcg@10"]
    retire_document(document=Document.objects.get(external_id="grail.txt"))

    assert run_now().measures["hybrid"]["ndcg@10"] == pytest.approx(before - 1 / 3, abs=1e-3)


def test_evaluate__what_cannot_be_asked_is_told_and_left_out(golden):
    question = judge("Where is it?", "grail.txt", filters={"types": ["gone"]})
    save_question(question=GoldenQuestion(text="Not judged yet"), user=None)

    run = run_now()

    assert str(question.pk) not in run.per_question
    assert run.question_count == 3
    assert "'Where is it?'. There is no source type 'gone'" in run.notes[0]
    assert run.notes[1] == "Not asked: 1 without a document that answers them."


def test_evaluate__without_judgements_says_what_to_do(castle):
    run = run_now()

    assert run.status == RunStatus.FAILED
    assert 'Grade hits on "Try a question" first.' in run.status_reason


def test_evaluate__a_failure_is_shown_and_raised(golden, monkeypatch):
    def broken(*args, **kwargs):
        raise RuntimeError("the model is gone")

    monkeypatch.setattr("knowledge.embedding.hashing.HashingEmbedder.embed_query", broken)
    monkeypatch.setattr("retrieval.search.meaning.start_embedding", broken)
    monkeypatch.setattr("retrieval.pipeline.start_embedding", broken)
    run = create_evaluation(profile=profile())

    with pytest.raises(RuntimeError):
        evaluate(run.pk)

    run.refresh_from_db()
    assert (run.status, run.status_reason) == ("failed", "the model is gone")


def test_cancel__stops_before_and_while_it_runs(golden):
    waiting = create_evaluation(profile=profile())
    cancel_evaluation(run=waiting, now=timezone.now())
    evaluate(waiting.pk)
    waiting.refresh_from_db()
    assert (waiting.status, waiting.seen) == ("cancelled", 0)

    running = create_evaluation(profile=profile())
    EvaluationRun.objects.filter(pk=running.pk).update(status="running")
    cancel_evaluation(run=running, now=timezone.now())
    evaluate(running.pk)
    running.refresh_from_db()
    assert (running.status, running.status_reason) == ("cancelled", "Stopped by hand.")
    assert running.measures == {}


def test_cancel__what_has_ended_stays_as_it_is(golden):
    run = run_now()
    assert cancel_evaluation(run=run, now=timezone.now()).status == "done"


def test_enqueue__waits_for_the_worker(db, django_capture_on_commit_callbacks):
    seed_profiles()
    with django_capture_on_commit_callbacks(execute=True):
        run_id = enqueue_evaluation(profile().pk)

    assert EvaluationRun.objects.get(pk=run_id).status == "waiting"
    (task,) = OrmQ.objects.all()
    assert (task.func(), task.task["args"]) == ("retrieval.tasks.evaluate", (run_id,))
