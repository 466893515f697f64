"""Documents of several languages side by side."""

import pytest

from retrieval.query.steps import EVERY_STEP, Step

pytestmark = pytest.mark.django_db


@pytest.fixture
def mixed(library):
    """Give German and English documents, some on the same matter."""
    library.add_all(
        {
            "kuendigung.txt": "Die Kündigungsfristen betragen drei Monate.",
            "rechnung.txt": "Die Rechnungen werden am Monatsende verschickt.",
        },
        language="german",
    )
    library.add_all(
        {
            "notice.txt": "The notice periods are three months.",
            "invoice.txt": "The invoices are sent at the end of the month.",
        },
        language="english",
    )
    return library


@pytest.mark.parametrize(
    ("question", "external_id", "language"),
    [
        ("Wie lang ist die Kündigungsfrist?", "kuendigung.txt", "german"),
        ("Wann wird die Rechnung verschickt?", "rechnung.txt", "german"),
        ("How long is the notice period?", "notice.txt", "english"),
        ("When is the invoice sent?", "invoice.txt", "english"),
    ],
)
def test_search__each_question_in_its_language(mixed, question, external_id, language):
    result = mixed.search(question)
    assert result.hits[0].evidence.external_id == external_id
    assert result.interpretation["language"] == language


@pytest.mark.parametrize("question", ["Rechnung", "invoice", "KX-4471-B", "Rechnung invoice"])
def test_search__every_configuration_is_tried_whatever_the_language(mixed, question):
    found = {
        hit.evidence.external_id
        for hit in mixed.search(question).hits
        if hit.receipt.keyword_rank is not None
    }
    named = {"Rechnung": "rechnung.txt", "invoice": "invoice.txt"}
    assert found == {named[word] for word in question.split() if word in named}


def test_search__the_step_left_out_tells_no_language(mixed):
    question = "How long is the notice period?"
    steps = EVERY_STEP - {Step.LANGUAGE}
    assert "language" in mixed.search(question).interpretation
    assert "language" not in mixed.search(question, steps=steps).interpretation


def test_search__a_single_configuration_tells_no_language(castle):
    assert "language" not in castle.search("Where is the grail?").interpretation
