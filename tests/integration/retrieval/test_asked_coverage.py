"""What is asked of an entity has to be covered beside its name."""

import pytest

from knowledge.models import EntityKind
from knowledge.services import ensure_entity
from retrieval.query.steps import NO_STEP

pytestmark = pytest.mark.django_db


@pytest.fixture
def court(library):
    ensure_entity(name="King Arthur", kind=EntityKind.PERSON, external_id="arthur")
    library.add("arthur.txt", "King Arthur rules over Camelot.", entities=("arthur",))
    library.add_all({f"{number}.txt": f"Knight {number} rides alone." for number in range(6)})
    return library


def best(result):
    return result.hits[0].evidence


def test_search__the_name_alone_covers_nothing_of_what_is_asked(court):
    passage = best(court.search("Which treasurer paid King Arthur?"))
    assert passage.external_id == "arthur.txt"
    assert passage.coverage > 0.3
    assert passage.coverage_beside_names == 0.0


def test_search__words_beside_the_name(court):
    result = court.search("Does King Arthur’s rule reach Camelot?")
    assert 0 < best(result).coverage_beside_names < 1


def test_search__without_a_name_or_without_other_words_there_is_nothing_beside(court):
    assert best(court.search("Who rules over Camelot?")).coverage_beside_names is None
    assert best(court.search("King Arthur")).coverage_beside_names is None
    literal = court.search("Which treasurer paid King Arthur?", steps=NO_STEP)
    assert best(literal).coverage_beside_names is None


def test_search__confidence_does_not_come_from_the_name(court):
    question = "Which treasurer paid King Arthur?"
    named = court.search(question).judgment
    assert named.confidence < court.search(question, steps=NO_STEP).judgment.confidence
