"""Measures of quality."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.evaluation.metrics import (
    area_under_roc,
    measure_quality,
    ndcg_by_question,
    percentile,
    stale_share,
)

JUDGEMENTS = {"q1": {"a": 1, "b": 1}, "q2": {"c": 2}}


def test_measure_quality__perfect_order():
    quality = measure_quality({"q1": ["a", "b"], "q2": ["c"]}, JUDGEMENTS)
    assert (quality.ndcg_at_10, quality.recall_at_100, quality.mrr_at_10) == (1.0, 1.0, 1.0)


def test_measure_quality__by_hand():
    quality = measure_quality({"q1": ["x", "a"], "q2": ["c"]}, JUDGEMENTS)
    # q1: a at rank 2 of two relevant ones.
    ideal = 1 + 1 / math.log2(3)
    assert quality.ndcg_at_10 == pytest.approx(((1 / math.log2(3)) / ideal + 1) / 2)
    assert quality.recall_at_100 == pytest.approx((0.5 + 1) / 2)
    assert quality.mrr_at_10 == pytest.approx((0.5 + 1) / 2)


def test_measure_quality__mrr_ends_at_10_and_recall_at_100():
    late = [f"x{number}" for number in range(10)] + ["c"]
    quality = measure_quality({"q2": late}, {"q2": {"c": 1}})
    assert (quality.mrr_at_10, quality.recall_at_10, quality.recall_at_100) == (0.0, 0.0, 1.0)
    later = [f"x{number}" for number in range(100)] + ["c"]
    assert measure_quality({"q2": later}, {"q2": {"c": 1}}).recall_at_100 == 0.0


def test_measure_quality__a_question_without_ranking_counts_as_zero():
    assert measure_quality({"q1": ["a", "b"]}, JUDGEMENTS).ndcg_at_10 == pytest.approx(0.5)


def test_measure_quality__questions_nothing_answers_are_not_scored():
    assert measure_quality({"q1": ["a", "b"]}, {"q1": {"a": 1}, "q3": {"a": 0}}).mrr_at_10 == 1.0
    assert measure_quality({}, {}).ndcg_at_10 == 0.0


def test_measure_quality__keeps_the_order_of_many():
    ranking = [f"d{number:03}" for number in reversed(range(50))]
    quality = measure_quality({"q": ranking}, {"q": {"d049": 1}})
    assert quality.mrr_at_10 == 1.0


def test_ndcg_by_question__those_that_are_scored():
    judgements = {**JUDGEMENTS, "q3": {"a": 0}, "q4": {"d": 1}}
    figures = ndcg_by_question({"q1": ["a", "b"], "q2": ["x", "c"], "q3": ["a"]}, judgements)
    assert figures == pytest.approx({"q1": 1.0, "q2": 1 / math.log2(3), "q4": 0.0})


def test_stale_share__counts_first_documents():
    rankings = {"q1": ["old", "new"], "q2": ["new", "old"], "q3": [], "q4": ["old"]}
    stale = {"q1": {"old"}, "q2": {"old"}, "q3": {"old"}}
    assert stale_share(rankings, stale) == 0.25
    assert stale_share({}, stale) == 0.0


def test_area_under_roc__by_hand():
    # Of the four pairs three are in order and one is a tie.
    assert area_under_roc([0.9, 0.5], [0.5, 0.1]) == 0.875
    assert area_under_roc([0.9], []) == 0.5


values = st.lists(st.floats(0, 1), min_size=1, max_size=20)


@given(positives=values, negatives=values)
def test_area_under_roc__exchanging_the_sides_mirrors_it(positives, negatives):
    area = area_under_roc(positives, negatives)
    assert 0 <= area <= 1
    assert area == pytest.approx(1 - area_under_roc(negatives, positives))


def test_percentile__of_ordered_values():
    assert percentile([5.0, 1.0, 3.0, 2.0, 4.0], 0.5) == 3.0
    assert percentile([1.0, 2.0], 0.95) == 2.0
    assert percentile([], 0.5) == 0.0
