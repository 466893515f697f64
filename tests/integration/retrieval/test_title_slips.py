"""Words of titles, typed wrongly."""

import pytest

from knowledge.models import Document, DocumentStatus
from retrieval.query.steps import EVERY_STEP, NO_STEP, Step
from tests.integration.retrieval.conftest import EVERYONE

pytestmark = pytest.mark.django_db

QUESTION = "What does the migartion plan say?"


@pytest.fixture
def plans(library):
    """Give a plan that is found by its title, among others that say the same."""
    library.add("plan.txt", "First copy, then compare.", title="Database migration")
    library.add("other.txt", "First copy, then compare.", title="Holiday calendar")
    return library


def keyword_hits(library, question, **options):
    hits = library.search(question, **options).hits
    return [hit.evidence.external_id for hit in hits if hit.receipt.keyword_score]


def test_search__finds_the_word_that_was_meant(plans):
    result = plans.search(QUESTION)

    assert keyword_hits(plans, QUESTION) == ["plan.txt"]
    assert result.hits[0].evidence.external_id == "plan.txt"
    assert result.interpretation["corrected"] == {"migartion": "migration"}
    assert "No document holds 'migartion'" in " ".join(result.warnings)


@pytest.mark.parametrize("steps", [EVERY_STEP - {Step.TITLES}, NO_STEP])
def test_search__looks_up_what_is_typed_where_the_step_is_left_out(plans, steps):
    assert keyword_hits(plans, QUESTION, steps=steps) == []


def test_search__a_word_that_documents_hold_is_no_slip(plans):
    plans.add("birds.txt", "The migartion is a bird of our own.")
    assert "corrected" not in plans.search(QUESTION).interpretation


@pytest.mark.parametrize(
    "changes",
    [{"access_tags": ["board"]}, {"status": DocumentStatus.RETIRED}, {"title": "Database"}],
)
def test_search__tells_nothing_of_titles_that_the_reader_may_not_find(plans, changes):
    Document.objects.filter(external_id="plan.txt").update(**changes)
    result = plans.search(QUESTION, tags=EVERYONE)
    assert "corrected" not in result.interpretation
    assert "migration" not in " ".join(result.warnings)
