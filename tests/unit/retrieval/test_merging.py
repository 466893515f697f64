"""What is filed under an entity beside what was found everywhere."""

from dataclasses import replace
from uuid import UUID

from retrieval.merging import (
    MOST_ENTITIES,
    arm_timings,
    merge_fused,
    names_without_documents,
    queries_by_entity,
)
from retrieval.types import Arm, Filters, Query
from retrieval.understanding import About, Preferences, Understanding
from tests.unit.retrieval.builders import NOW, arm_result, fused

ARTHUR, PATSY = UUID(int=1), UUID(int=2)


def query(*named):
    about = tuple(About(name=name, entity_id=entity_id) for name, entity_id in named)
    return Query(
        question="Where are they?",
        filters=Filters(access_tags=frozenset({"everyone"})),
        as_of=NOW,
        understanding=Understanding(
            preferences=Preferences(about=about),
            entity_ids=tuple(dict.fromkeys(each.entity_id for each in about)),
        ),
    )


def relevances(candidates):
    return [(each.chunk_id, each.relevance) for each in candidates]


def test_merge_fused__a_chunk_once_where_it_is_most_relevant():
    everywhere = [fused(1, 1.0), fused(2, 0.3)]
    filed = [fused(2, 1.0), fused(3, 0.4)]
    assert relevances(merge_fused([everywhere, filed])) == [(1, 1.0), (2, 1.0), (3, 0.4)]
    assert merge_fused([everywhere]) == everywhere
    assert merge_fused([everywhere, []]) == everywhere


def test_queries_by_entity__one_for_each_of_the_first():
    asked = query(("King Arthur", ARTHUR), ("the King", ARTHUR), ("Patsy", PATSY))
    assert [each.filters.entity_ids for each in queries_by_entity(asked)] == [(ARTHUR,), (PATSY,)]
    crowd = query(*((str(number), UUID(int=number)) for number in range(9)))
    assert len(queries_by_entity(crowd)) == MOST_ENTITIES


def test_names_without_documents__by_every_name_in_the_question():
    asked = query(("King Arthur", ARTHUR), ("the King", ARTHUR), ("Patsy", PATSY))
    of_arthur, of_patsy = queries_by_entity(asked)
    nothing, something = [arm_result(Arm.KEYWORD)], [arm_result(Arm.KEYWORD, 1)]
    filed = [(of_arthur, nothing), (of_patsy, something)]
    assert names_without_documents(asked, filed) == ["King Arthur", "the King"]


def test_arm_timings__over_all_an_arm_was_asked():
    keyword = replace(arm_result(Arm.KEYWORD), milliseconds=2.0)
    vector = replace(arm_result(Arm.VECTOR), milliseconds=3.0)
    assert arm_timings([keyword, vector, keyword]) == {"keyword": 4.0, "vector": 3.0}
