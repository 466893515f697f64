"""Evaluations in the admin: started, watched, stopped, compared."""

import pytest
from django.urls import reverse

from knowledge.models import Document
from retrieval.models import EvaluationRun, RankingProfile
from retrieval.services import AskedQuestion, create_evaluation, grade_document
from retrieval.tasks import evaluate
from tests.factories.retrieval import EvaluationRunFactory
from tests.integration.retrieval.admin.grail import QUESTION, document_id

LIST = "/admin/retrieval/evaluationrun/"


@pytest.fixture
def golden(corpus):
    for external_id, grade in (("castle.txt", 3), ("rabbit.txt", 1)):
        document = Document.objects.get(pk=document_id(external_id))
        grade_document(
            asked=AskedQuestion(text=QUESTION), document=document, grade=grade, user=None
        )
    asked = AskedQuestion(text="What costs shrubberies?", access_tags=frozenset({"sales"}))
    document = Document.objects.get(pk=document_id("price.txt"))
    grade_document(asked=asked, document=document, grade=3, user=None)


def profile(slug="balanced"):
    return RankingProfile.objects.get(slug=slug)


def measured(slug):
    run = create_evaluation(profile=profile(slug))
    evaluate(run.pk)
    run.refresh_from_db()
    return run


def page_of(run):
    return f"{LIST}{run.pk}/change/"


def test_evaluate__hands_the_profile_to_the_worker(curator, golden):
    form = curator.get(f"{LIST}evaluate/").content.decode()
    assert "(2 questions)" in form

    response = curator.post(f"{LIST}evaluate/", {"profile": profile().pk}, follow=True)

    run = EvaluationRun.objects.get()
    assert (run.status, run.requested_by) == ("waiting", response.wsgi_request.user)
    page = response.content.decode()
    assert "Waiting for the queue worker" in page
    assert 'hx-trigger="every 2s"' in page
    assert "Stop" in page


def test_evaluate__without_a_profile_is_told_at_the_field(curator, golden):
    page = curator.post(f"{LIST}evaluate/", {"profile": "nonsense"}).content.decode()

    assert "Select a valid choice" in page
    assert not EvaluationRun.objects.exists()


def test_page__figures_and_questions_worst_first(curator, golden):
    run = measured("balanced")

    response = curator.get(page_of(run))

    rows = response.context["run"]["questions"]
    assert [row["ndcg"] for row in rows] == sorted(row["ndcg"] for row in rows)
    page = response.content.decode()
    assert "hx-trigger" not in page.partition('id="run-progress"')[2].partition(">")[0]
    assert "Only 2 judged questions" in page
    link = next(row["link"] for row in rows if row["text"] == QUESTION)
    assert curator.get(link).context["columns"][0].hits[0].title == "castle.txt"


def test_page__a_failure_is_shown(curator, db):
    run = EvaluationRunFactory(
        status="failed", status_reason="The <b>model</b> is gone", measures={}
    )
    assert "The &lt;b&gt;model&lt;/b&gt; is gone" in curator.get(page_of(run)).content.decode()


def test_cancel__by_post_and_permission(client, curator, golden):
    run = create_evaluation(profile=profile())
    url = reverse("admin:retrieval_evaluationrun_cancel", args=[run.pk])
    assert curator.get(url).status_code == 403

    response = curator.post(url, follow=True)

    assert "The evaluation stops" in response.content.decode()
    run.refresh_from_db()
    assert run.status == "cancelled"
    assert (
        curator.post(reverse("admin:retrieval_evaluationrun_cancel", args=[0])).status_code == 404
    )


def test_viewers__look_but_start_and_stop_nothing(viewer, golden):
    run = create_evaluation(profile=profile())

    assert viewer.get(page_of(run)).status_code == 200
    assert viewer.get(f"{LIST}evaluate/").status_code == 403
    assert viewer.post(f"{LIST}evaluate/", {"profile": profile().pk}).status_code == 403
    url = reverse("admin:retrieval_evaluationrun_cancel", args=[run.pk])
    assert viewer.post(url).status_code == 403
    assert EvaluationRun.objects.get().status == "waiting"


def test_compare__measures_chart_and_questions_that_differ(curator, golden):
    runs = [measured("balanced"), measured("legal")]
    key = next(iter(runs[1].per_question))
    runs[1].per_question[key]["ndcg@10"] = 0.25
    runs[1].measures["hybrid"]["ndcg@10"] = 0.5
    runs[1].save()

    chosen = {"action": "compare", "_selected_action": [run.pk for run in runs]}
    response = curator.post(LIST, chosen, follow=True)

    comparison = response.context["comparison"]
    (row,) = comparison["questions"]
    assert row["text"] == runs[1].per_question[key]["text"]
    assert [cell["shown"] for cell in row["cells"]] == ["1.000", "0.250"]
    assert "profile=balanced&against=legal" in row["link"]
    assert curator.get(row["link"]).status_code == 200
    assert comparison["equal_count"] == 1
    assert "1 equal, 1 worse" in comparison["runs"][1]["against_first"]
    page = response.content.decode()
    assert 'data-type="bar"' in page
    assert "Balanced v1" in page


@pytest.mark.parametrize("query", ["", "run=1", "run=abc&run=99999999999999999999", "run=²"])
def test_compare__too_few_goes_back_to_the_list(curator, db, query):
    response = curator.get(f"{LIST}compare/?{query}", follow=True)
    assert "Choose at least two evaluations" in response.content.decode()


def test_compare__questions_stay_text(curator, golden):
    runs = [measured("balanced"), measured("legal")]
    for run, value in zip(runs, (0.1, 0.9), strict=True):
        for figures in run.per_question.values():
            figures.update({"text": "<img src=x onerror=alert(1)>", "ndcg@10": value})
        run.save()
    query = "&".join(f"run={run.pk}" for run in runs)

    for page in (f"{LIST}compare/?{query}", page_of(runs[0])):
        body = curator.get(page).content.decode()
        assert "&lt;img src=x" in body
        assert "<img src=x" not in body
