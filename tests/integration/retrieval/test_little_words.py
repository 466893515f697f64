"""Names made of the little words that language configurations drop."""

import pytest

from knowledge.models import EntityKind
from knowledge.services import ensure_entity

pytestmark = pytest.mark.django_db

NAMES = {
    "contact.txt": "Will Over",
    "event.txt": "The Who live",
    "policy.txt": "IT policy",
    "poster.txt": "To be or not to be",
}


@pytest.fixture
def named(library):
    """Give four documents with such names among thirty that hold the same words as words."""
    library.add_all(NAMES)
    library.add_all(
        {
            f"other-{number:02}.txt": (
                f"It will be over when the one who waits is not to be found in hall {number}."
            )
            for number in range(30)
        }
    )
    return library


@pytest.mark.parametrize(
    ("question", "external_id"),
    [
        ("Will Over", "contact.txt"),
        ("The Who", "event.txt"),
        ("the who", "event.txt"),
        ("IT policy", "policy.txt"),
        ("to be or not to be", "poster.txt"),
        ("When does The Who play?", "event.txt"),
    ],
)
def test_search__finds_the_name_by_its_words(named, question, external_id):
    hits = named.search(question).hits
    assert external_id in [hit.evidence.external_id for hit in hits[:3]]
    (found,) = [hit for hit in hits if hit.evidence.external_id == external_id]
    assert found.receipt.keyword_rank == 1


def test_search__a_little_word_alone_is_no_search_by_words(named):
    hits = named.search("the").hits
    assert len(hits) <= 10
    assert all(hit.receipt.keyword_rank is None for hit in hits)


def test_search__an_entity_of_little_words(named):
    band, _ = ensure_entity(name="The Who", kind=EntityKind.COMPANY)
    named.add("tour.txt", "On tour in the autumn.", entities=("The Who",))
    result = named.search("Where is The Who on tour?")
    assert result.interpretation["entities"] == {"The Who": str(band.pk)}
    assert result.hits[0].evidence.external_id == "tour.txt"
    assert "entities" not in named.search("Where is the who?").interpretation
