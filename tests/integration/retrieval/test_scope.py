"""What a search is limited to: readers, entities, sources, what is switched on."""

import pytest

from knowledge.models import Document, EntityKind
from knowledge.services import ensure_entity, retire_document, set_access_tags, update_source
from retrieval.query.steps import NO_STEP

pytestmark = pytest.mark.django_db


def test_search__only_what_the_reader_may_see(castle):
    set_access_tags(document=Document.objects.get(external_id="grail.txt"), access_tags=["knights"])
    assert "grail.txt" not in castle.found("grail castle")
    knights = frozenset({"knights"})
    assert castle.found("grail castle", tags=knights)[0] == "grail.txt"
    assert "grail.txt" not in castle.found("grail castle", tags=knights, access_tags=frozenset())


def test_search__retired_documents_and_sources_switched_off_are_not_found(castle):
    document = Document.objects.get(external_id="grail.txt")
    retire_document(document=document)
    assert "grail.txt" not in castle.found("grail castle")
    update_source(source=document.source, enabled=False)
    assert castle.found("grail castle") == []


def test_search__about_an_entity(library):
    ensure_entity(name="King Arthur", kind=EntityKind.PERSON, external_id="arthur")
    library.add("arthur.txt", "He rides to the castle.", entities=("arthur",))
    library.add("patsy.txt", "He walks to the castle.")
    assert library.found("castle", entity="King Arthur") == ["arthur.txt"]
    assert library.found("castle", entity="ARTHUR") == ["arthur.txt"]


def test_search__about_an_entity_that_the_text_names(library):
    ensure_entity(name="Hollis Packaging")
    library.add("visit.txt", "A visit to Hollis Packaging and its castle.")
    library.add("patsy.txt", "He walks to the castle.")
    assert library.found("castle", entity="hollis packaging") == ["visit.txt"]


def test_search__of_a_source_and_of_a_kind(library):
    library.add("blog.txt", "The castle of Camelot.", source="Blog")
    library.add("mail.txt", "The castle of Camelot.", source="Mail", type_slug="email")
    assert library.found("castle", sources=("blog",)) == ["blog.txt"]
    assert library.found("castle", types=("email",)) == ["mail.txt"]
    assert library.found("castle", types=("email",), sources=("Blog",)) == []


def test_search__what_is_filed_under_the_entity_named(library):
    arthur, _ = ensure_entity(name="King Arthur", kind=EntityKind.PERSON, external_id="arthur")
    library.add("notes.txt", "We spoke of the coconut.", entities=(arthur.external_id,))
    library.add("swallow.txt", "A swallow carries a coconut; a coconut is heavy.")
    result = library.search("What did King Arthur say of the coconut?")
    assert [hit.evidence.external_id for hit in result.hits] == ["notes.txt", "swallow.txt"]
    assert set(result.hits[1].receipt.boosts) == {"elsewhere"}
    assert result.interpretation["entities"] == {"King Arthur": str(arthur.pk)}
    literal = library.search("What did King Arthur say of the coconut?", steps=NO_STEP)
    assert all(hit.receipt.boosts == {} for hit in literal.hits)
    assert "entities" not in literal.interpretation


def test_search__an_entity_that_nothing_is_filed_under_hides_nothing(castle):
    ensure_entity(name="Brother Maynard", kind=EntityKind.PERSON)
    result = castle.search("Where does Brother Maynard keep the grail?")
    assert result.hits[0].evidence.external_id == "grail.txt"
    assert result.interpretation["relaxed"] == ["Brother Maynard"]
    assert result.warnings == (
        "Nothing is filed under 'Brother Maynard': everything was searched.",
    )


def test_search__what_is_filed_is_as_relevant_as_by_the_filter(library):
    """Passages of others, however well they match, do not belittle those of the one named."""
    arthur, _ = ensure_entity(name="King Arthur", kind=EntityKind.PERSON, external_id="arthur")
    library.add_all(
        {"notes.txt": "We spoke of a coconut.", "ride.txt": "A long ride home."},
        entities=(arthur.external_id,),
    )
    library.add_all({f"{number}.txt": "coconut and coconut again" for number in range(5)})
    given = library.search("Did King Arthur carry the coconut?", entity="King Arthur").hits
    inferred = library.search("Did King Arthur carry the coconut?").hits
    assert [hit.evidence.external_id for hit in given] == ["notes.txt", "ride.txt"]
    for one, other in zip(given, inferred, strict=False):
        assert one.evidence.external_id == other.evidence.external_id
        assert one.receipt.relevance == other.receipt.relevance


def test_search__what_nobody_filed_is_found_by_the_name_it_holds(library):
    arthur, _ = ensure_entity(name="King Arthur", kind=EntityKind.PERSON, external_id="arthur")
    library.add("notes.txt", "We spoke of the weather.", entities=(arthur.external_id,))
    library.add("press.txt", "King Arthur has found a coconut.")
    library.add("other.txt", "A coconut was found.")
    found = library.found("Has King Arthur found a coconut?")
    assert found[0] == "press.txt"
