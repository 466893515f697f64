"""Finding entities by their names: whole and nearly, through indexes."""

import pytest
from django.db import connection

from knowledge.ingestion.sql import statement
from knowledge.models import EntityKind
from knowledge.services.entities import (
    ensure_entity,
    find_entity_ids,
    find_similar_names,
    find_unused_words,
)

pytestmark = pytest.mark.django_db

MOST = {"least": 0.3, "most": 10, "most_entities": 100}


def plan(name, **parameters):
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"EXPLAIN {statement(name)}", parameters)
        return "\n".join(line for (line,) in cursor.fetchall())


def test_find_entity_ids__by_external_id_then_name_then_alias():
    ensure_entity(name="Camelot", kind=EntityKind.COMPANY, aliases=["The Castle"])
    second, _ = ensure_entity(name="The castle", kind=EntityKind.COMPANY, external_id="camelot")
    assert find_entity_ids(["CAMELOT", "the castle", "Anthrax"]) == {
        "CAMELOT": (second.pk,),
        "the castle": (second.pk,),
        "Anthrax": (),
    }
    assert find_entity_ids(["Camelot "])["Camelot "] == ()
    assert find_entity_ids([]) == {}
    third, _ = ensure_entity(name="Anthrax", kind=EntityKind.COMPANY, aliases=["Église"])
    assert find_entity_ids(["ÉGLISE"]) == {"ÉGLISE": (third.pk,)}


def test_find_entity_ids__goes_through_indexes():
    text = plan("find_entities", names=["Camelot"])
    assert "Seq Scan on knowledge_entity" not in text


def test_find_similar_names__most_similar_first_and_bounded():
    arthur, _ = ensure_entity(
        name="King Arthur", kind=EntityKind.PERSON, aliases=["Arthur", "Once and Future King"]
    )
    found = find_similar_names({"Artur": "Artur", "Zoot": "Zoot"})
    assert found["Artur"][0] == ("Arthur", arthur.pk)
    assert found["Zoot"] == []
    for number in range(30):
        ensure_entity(name=f"Arthur {number}", kind=EntityKind.PERSON)
    assert len(find_similar_names({"Artur": "Artur"})["Artur"]) == 10


def test_find_similar_names__among_many_of_one_word_the_whole_name_decides():
    for number in range(40):
        ensure_entity(name=f"{chr(65 + number % 26) * 5} Lee {number}", kind=EntityKind.PERSON)
    dana, _ = ensure_entity(name="Dana Lee", kind=EntityKind.PERSON)
    found = find_similar_names({"Dana Leee": "Leee"})
    assert found["Dana Leee"][0] == ("Dana Lee", dana.pk)


def test_find_similar_names__goes_through_the_index_of_names():
    text = plan("find_similar_entities", names=["Artur"], words=["Artur"], **MOST)
    assert "entity_names_trigram" in text


def test_find_unused_words__without_statistics_every_word_is():
    assert find_unused_words(["Artur", "coconut"]) == {"Artur", "coconut"}
    assert find_unused_words([]) == frozenset()
