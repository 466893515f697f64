"""Grades given on "Try a question"."""

from datetime import UTC, datetime

import pytest
from django.urls import reverse

from retrieval.models import GoldenQuestion, Judgement
from tests.integration.retrieval.admin.grail import QUESTION, ask, document_id

PAGE = "/admin/preview/grade/"
HTMX = {"HX-Request": "true"}


def grade(client, external_id, value, *, address=f"question={QUESTION}", **headers):
    key = document_id(external_id)
    values = {"address": address, "document": key, "grade": value}
    return client.post(PAGE, values, headers=headers)


def test_grade__one_click_makes_a_judgement_and_one_takes_it_back(curator, corpus):
    response = grade(curator, "castle.txt", "3", **HTMX)

    judgement = Judgement.objects.get()
    assert (judgement.question.text, judgement.grade) == (QUESTION, 3)
    assert judgement.created_by == response.wsgi_request.user
    page = response.content.decode()
    assert 'value="3"\n                    aria-pressed="true"' in page
    assert "Undo" in page
    assert f'hx-swap-oob="outerHTML:.crmind-grade-of-{judgement.document_id}"' in page
    assert 'aria-pressed="true">3 answers it fully' in ask(curator).content.decode()

    page = grade(curator, "castle.txt", "", **HTMX).content.decode()
    assert "Does it answer the question?" in page
    assert not GoldenQuestion.objects.exists()


def test_grade__undo_gives_the_grade_before(curator, corpus):
    grade(curator, "castle.txt", "1")
    response = grade(curator, "castle.txt", "2", **HTMX)

    assert response.context["grading"].undo == "1"
    assert Judgement.objects.get().grade == 2


def test_grade__without_javascript_the_page_comes_back(curator, corpus):
    response = grade(curator, "castle.txt", "2")

    assert response.status_code == 302
    assert response.url.startswith(f"{reverse('preview')}?question=")
    assert "The grade was kept." in curator.get(response.url).content.decode()


def test_grade__the_same_words_under_other_limits_are_another_question(curator, corpus):
    grade(curator, "castle.txt", "3")
    grade(curator, "castle.txt", "3", address=f"question={QUESTION.upper()}")
    grade(curator, "castle.txt", "0", address=f"question={QUESTION}&as_of=2026-11-05T12:00")
    grade(curator, "price.txt", "1", address=f"question={QUESTION}&access_tags=sales")

    assert [
        (question.as_of, question.access_tags, question.judgements.get().grade)
        for question in GoldenQuestion.objects.order_by("id")
    ] == [
        (None, [], 3),
        (datetime(2026, 11, 5, 12, tzinfo=UTC), [], 0),
        (None, ["sales"], 1),
    ]


@pytest.mark.parametrize("value", ["4", "-1", "many", "²", "99999999999999999999"])
def test_grade__what_is_no_grade_is_refused(curator, corpus, value):
    response = grade(curator, "castle.txt", value)

    assert "Use one of 0, 1, 2, 3." in curator.get(response.url).content.decode()
    assert not Judgement.objects.exists()


def test_grade__viewers_may_not_and_see_no_buttons(viewer, corpus):
    assert grade(viewer, "castle.txt", "3").status_code == 403
    assert "crmind-grade" not in ask(viewer).content.decode()
    assert not Judgement.objects.exists()


@pytest.mark.parametrize("key", ["0", "abc", "²", "9" * 30])
def test_grade__an_unknown_document_is_told_as_missing(curator, corpus, key):
    values = {"address": f"question={QUESTION}", "document": key, "grade": "1"}
    assert curator.post(PAGE, values).status_code == 404


def test_grade__looking_by_get_is_refused(curator, corpus):
    assert curator.get(PAGE).status_code == 405


def test_grade__needs_the_token_of_the_page(curator, corpus):
    curator.handler.enforce_csrf_checks = True
    assert grade(curator, "castle.txt", "3").status_code == 403


def test_withdraw__keeps_a_question_that_more_is_known_of(curator, corpus):
    grade(curator, "castle.txt", "3")
    GoldenQuestion.objects.update(expected_answer="In the castle of Aaargh.")
    grade(curator, "castle.txt", "")
    assert GoldenQuestion.objects.exists()
    assert not Judgement.objects.exists()


def test_golden_question__tells_its_limits_and_asks_itself(curator, corpus):
    grade(curator, "price.txt", "1", address=f"question={QUESTION}&access_tags=sales&types=email")
    question = GoldenQuestion.objects.get()

    page = curator.get(f"/admin/retrieval/goldenquestion/{question.pk}/change/").content.decode()

    assert "the kind of source email; readers of sales" in page
    assert (
        "/admin/preview/?question=Where+is+the+holy+grail+kept%3F&amp;types=email&amp;acc" in page
    )
    assert curator.get("/admin/retrieval/goldenquestion/add/").status_code == 200
