"""The forms of the golden set."""

import pytest
from django.urls import reverse

from retrieval.models import GoldenQuestion, Judgement
from tests.factories.retrieval import JudgementFactory


@pytest.mark.parametrize("key", ["99999999999999999999", "\0", "abc", "-1"])
def test_forms__a_document_that_cannot_be_is_told_at_its_field(curator, key):
    judgement = JudgementFactory(grade=1)
    question = judgement.question
    below = {
        "text": question.text,
        "judgements-TOTAL_FORMS": 2,
        "judgements-INITIAL_FORMS": 1,
        "judgements-0-id": judgement.pk,
        "judgements-0-question": question.pk,
        "judgements-0-document": judgement.document_id,
        "judgements-0-grade": 3,
        "judgements-1-question": question.pk,
        "judgements-1-document": key,
        "judgements-1-grade": 2,
    }
    pages = {
        reverse("admin:retrieval_goldenquestion_change", args=[question.pk]): below,
        reverse("admin:retrieval_judgement_add"): {
            "question": key,
            "document": key,
            "grade": 2,
        },
    }

    for page, values in pages.items():
        response = curator.post(page, values)

        assert response.status_code == 200
        assert response.context["errors"]
    assert list(Judgement.objects.values_list("grade", flat=True)) == [1]
    assert GoldenQuestion.objects.count() == 1
