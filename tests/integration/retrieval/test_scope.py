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
    assert castle.found("Where does Brother Maynard keep the grail?")[0] == "grail.txt"
