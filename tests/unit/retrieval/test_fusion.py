"""Merging the arms."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.fusion import convex, fuse, reciprocal_rank
from retrieval.types import Arm, Candidate
from tests.unit.retrieval.builders import arm_result, keyword_results, vector_results

A, B, C, D, E = 1, 2, 3, 4, 5
WEIGHTS = {Arm.VECTOR: 0.6, Arm.KEYWORD: 0.4}
VECTOR = arm_result(Arm.VECTOR, A, D, C)
KEYWORD = arm_result(Arm.KEYWORD, B, E, C)


def ids(candidates):
    return [candidate.chunk_id for candidate in candidates]


def raw_scores(candidates, *, arm_count=2, k=60):
    """Undo the scaling of relevance: the plain sum of 1 / (k + rank)."""
    return {found.chunk_id: found.relevance * arm_count / (k + 1) for found in candidates}


def test_reciprocal_rank__agreement_beats_one_first_place():
    fused = reciprocal_rank([VECTOR, KEYWORD], k=60)
    assert ids(fused) == [C, A, B, D, E]
    scores = raw_scores(fused)
    assert scores[C] == pytest.approx(2 / 63)
    assert scores[A] == scores[B] == pytest.approx(1 / 61)
    assert scores[D] == scores[E] == pytest.approx(1 / 62)


def test_reciprocal_rank__order_of_arms_changes_nothing():
    assert reciprocal_rank([VECTOR, KEYWORD], k=60) == reciprocal_rank([KEYWORD, VECTOR], k=60)


def test_reciprocal_rank__an_empty_arm_leaves_the_order_of_the_other():
    empty = arm_result(Arm.KEYWORD)
    assert ids(reciprocal_rank([VECTOR, empty], k=60)) == [A, D, C]


def test_reciprocal_rank__a_chunk_twice_in_an_arm_counts_at_its_best_rank():
    doubled = arm_result(Arm.VECTOR, A, C, D, C)
    fused = reciprocal_rank([doubled, KEYWORD], k=60)
    assert ids(fused).count(C) == 1
    assert raw_scores(fused)[C] == pytest.approx(1 / 62 + 1 / 63)


def test_reciprocal_rank__first_in_every_arm_is_relevance_one():
    arms = [arm_result(Arm.VECTOR, A), arm_result(Arm.KEYWORD, A)]
    assert reciprocal_rank(arms, k=60)[0].relevance == 1.0


def test_reciprocal_rank__weights_by_hand():
    fused = reciprocal_rank([VECTOR, KEYWORD], k=60, weights=WEIGHTS)
    assert ids(fused) == [C, A, D, B, E]
    relevance = {found.chunk_id: found.relevance for found in fused}
    # Both arms have C third; only the vector arm has A, only the keyword arm B, both first.
    assert relevance[C] == pytest.approx(61 / 63)
    assert relevance[A] == pytest.approx(0.6)
    assert relevance[B] == pytest.approx(0.4)


@given(keyword=keyword_results, vector=vector_results, weight=st.floats(0.01, 1))
def test_reciprocal_rank__equal_weights_are_none(keyword, vector, weight):
    equal = dict.fromkeys(Arm, weight)
    plain = reciprocal_rank([keyword, vector], k=60)
    weighed = reciprocal_rank([keyword, vector], k=60, weights=equal)
    assert {found.chunk_id: found.relevance for found in weighed} == pytest.approx(
        {found.chunk_id: found.relevance for found in plain}
    )


def test_convex__each_arm_is_scaled_by_its_best():
    vector = arm_result(Arm.VECTOR, (A, 0.8), (B, 0.4))
    keyword = arm_result(Arm.KEYWORD, (B, 3.0), (C, 1.5))
    # A: 0.6 x 1; B: 0.6 x 0.5 + 0.4 x 1; C: 0.4 x 0.5.
    relevance = {
        found.chunk_id: found.relevance for found in convex([vector, keyword], weights=WEIGHTS)
    }
    assert relevance == pytest.approx({B: 0.7, A: 0.6, C: 0.2})


def test_convex__an_arm_that_was_not_asked_takes_no_weight():
    keyword = arm_result(Arm.KEYWORD, (B, 3.0))
    assert convex([keyword], weights=WEIGHTS)[0].relevance == pytest.approx(1.0)


def test_convex__an_arm_that_found_nothing_keeps_its_weight():
    keyword = arm_result(Arm.KEYWORD, (B, 3.0))
    fused = convex([keyword, arm_result(Arm.VECTOR)], weights=WEIGHTS)
    assert fused[0].relevance == pytest.approx(0.4)


def test_convex__scores_next_to_nothing_are_scaled_like_others():
    fused = convex([arm_result(Arm.VECTOR, (A, 2e-313), (B, 0.0))], weights=WEIGHTS)
    assert [found.relevance for found in fused] == [1.0, 0.0]


def test_convex__opposite_meaning_is_no_relevance():
    fused = convex([arm_result(Arm.VECTOR, (A, -0.1), (B, -0.3))], weights=WEIGHTS)
    assert [found.relevance for found in fused] == [0.0, 0.0]


def test_fuse__what_is_only_scored_counts_where_scores_are_fused():
    found = arm_result(Arm.VECTOR, (A, 0.8))
    scored = Candidate(chunk_id=B, rank=None, score=0.4)
    vector = replace(found, candidates=(*found.candidates, scored))
    keyword = arm_result(Arm.KEYWORD, (B, 3.0))
    by_score = convex([vector, keyword], weights=WEIGHTS)
    assert {hit.chunk_id: hit.relevance for hit in by_score} == pytest.approx({A: 0.6, B: 0.7})
    by_rank = reciprocal_rank([vector, keyword], k=60)
    assert raw_scores(by_rank) == pytest.approx({A: 1 / 61, B: 1 / 61})


def test_convex__ties_by_chunk_id():
    fused = convex([arm_result(Arm.VECTOR, (B, 0.5), (A, 0.5))], weights=WEIGHTS)
    assert ids(fused) == [A, B]


@pytest.mark.parametrize("method", ["convex", "rrf"])
@given(keyword=keyword_results, vector=vector_results, k=st.integers(1, 1000))
def test_fuse__loses_nothing_doubles_nothing_and_ignores_the_order(method, keyword, vector, k):
    options = {"method": method, "rrf_k": k, "weights": WEIGHTS}
    one = fuse([keyword, vector], **options)
    assert one == fuse([vector, keyword], **options)
    found = {candidate.chunk_id for arm in (keyword, vector) for candidate in arm.candidates}
    assert sorted(ids(one)) == sorted(found)
    assert all(0.0 <= candidate.relevance <= 1.0 for candidate in one)
    # Ties are total.
    keys = [(-candidate.relevance, candidate.chunk_id) for candidate in one]
    assert keys == sorted(keys)
