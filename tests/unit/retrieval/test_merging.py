"""What is filed under an entity beside what was found everywhere."""

from dataclasses import replace

from retrieval.merging import merge_arms
from retrieval.types import Arm, Candidate
from tests.unit.retrieval.builders import arm_result


def ranked(result):
    return [(each.chunk_id, each.rank, each.score) for each in result.candidates]


def test_merge_arms__ranks_all_anew_and_keeps_arms_apart():
    keyword = arm_result(Arm.KEYWORD, (1, 3.0), (2, 1.0))
    filed = replace(arm_result(Arm.KEYWORD, (2, 1.0), (3, 2.0)), is_complete=False)
    vector = arm_result(Arm.VECTOR, (4, 0.5))
    merged = merge_arms([keyword, vector], [filed])
    assert ranked(merged[0]) == [(1, 1, 3.0), (3, 2, 2.0), (2, 3, 1.0)]
    assert [result.is_complete for result in merged] == [False, True]
    assert merged[1] is vector


def test_merge_arms__a_place_within_the_depth_before_a_mere_score():
    keyword = arm_result(Arm.KEYWORD, (1, 3.0))
    scored = replace(
        keyword, candidates=(*keyword.candidates, Candidate(chunk_id=2, rank=None, score=1.0))
    )
    merged = merge_arms([scored], [arm_result(Arm.KEYWORD, (2, 1.0))])
    assert ranked(merged[0]) == [(1, 1, 3.0), (2, 2, 1.0)]
    assert merge_arms([scored], []) == [scored]
