"""Relevance as a reranker judges it."""

from hypothesis import given
from hypothesis import strategies as st

from retrieval.rerank.relevance import with_rerank_scores
from tests.unit.retrieval.builders import fused


def told(candidates):
    return [(each.chunk_id, each.relevance, each.rerank_score) for each in candidates]


def test_with_rerank_scores__the_judged_by_their_score_then_the_others():
    found = [fused(1, 1.0), fused(2, 0.8), fused(3, 0.5), fused(4, 0.25)]
    assert told(with_rerank_scores(found, {1: 0.2, 2: 0.9})) == [
        (2, 0.9, 0.9),
        (1, 0.2, 0.2),
        (3, 0.1, None),
        (4, 0.05, None),
    ]


def test_with_rerank_scores__nothing_judged_changes_nothing():
    found = [fused(2, 1.0), fused(1, 0.8)]
    assert with_rerank_scores(found, {}) == found


@given(
    relevances=st.lists(st.floats(0, 1), max_size=8),
    scores=st.dictionaries(st.integers(0, 7), st.floats(0, 1), max_size=8),
)
def test_with_rerank_scores__loses_nothing_and_falls(relevances, scores):
    found = [fused(number, relevance) for number, relevance in enumerate(relevances)]
    judged = {number: score for number, score in scores.items() if number < len(found)}
    reranked = with_rerank_scores(found, judged)
    assert sorted(each.chunk_id for each in reranked) == list(range(len(found)))
    if judged:
        order = [each.relevance for each in reranked]
        assert order == sorted(order, reverse=True)
