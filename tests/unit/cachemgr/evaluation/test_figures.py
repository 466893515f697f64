"""Figures: shares, intervals, refusals and the proposed threshold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachemgr.evaluation.figures import (
    JudgedPair,
    Rates,
    calibrate,
    count_refusals,
    rates_at,
    rule_rates_at,
    wilson_interval,
)
from cachemgr.evaluation.pairs import Pair
from cachemgr.matching import Match


def judged(similarity, is_same, *refused_by):
    pair = Pair(asked="a", stored="b", is_same=is_same)
    match = Match(is_near=True, refused_by=refused_by)
    return JudgedPair(pair=pair, similarity=similarity, match=match)


PAIRS = [
    judged(0.99, True),
    judged(0.95, True, "kind"),
    judged(0.70, True),
    judged(0.98, False, "order"),
    judged(0.97, False, "order", "names"),
    judged(0.85, False),
]


def test_rates_at():
    assert rates_at(0.8, PAIRS) == Rates(positives=3, hits=1, negatives=3, false_hits=1)
    assert rates_at(0.85, PAIRS) == Rates(positives=3, hits=1, negatives=3, false_hits=0)
    assert rule_rates_at(0.8, PAIRS) == Rates(positives=3, hits=2, negatives=3, false_hits=3)


def test_as_record__of_one_label():
    assert rates_at(0.8, PAIRS[:2]).as_record() == {
        "positives": 2,
        "hit_rate": 0.5,
        "negatives": 0,
        "false_hit_rate": None,
        "false_hit_ci95": None,
    }


def test_count_refusals__in_total_and_alone():
    counts = {
        name: tuple(refusals.as_record().values())
        for name, refusals in count_refusals(0.8, PAIRS).items()
        if any(refusals.as_record().values())
    }
    assert counts == {
        "any": (2, 1, 1, 1),
        "names": (1, 0, 0, 0),
        "order": (2, 0, 1, 0),
        "kind": (0, 1, 0, 1),
    }


@pytest.mark.parametrize(
    ("budget", "threshold"),
    # The one false hit has 0.85: below that a third of the negatives is answered.
    [(0.0, 0.85), (0.3, 0.85), (0.34, 0.0)],
)
def test_calibrate(budget, threshold):
    calibration = calibrate(PAIRS, budget=budget)
    assert calibration.threshold == threshold
    assert calibration.rates == rates_at(threshold, PAIRS)


def test_wilson_interval():
    # 1 of 100: centre (0.01 + 3.8415/200) / 1.038415 = 0.02812, margin 0.02636.
    assert wilson_interval(1, 100) == [0.0018, 0.0545]
    assert wilson_interval(0, 150) == [0.0, 0.025]
    assert wilson_interval(0, 0) is None


@given(st.integers(0, 500), st.integers(1, 500))
def test_wilson_interval__holds_the_share(count, total):
    count = min(count, total)
    low, high = wilson_interval(count, total)
    assert 0 <= low <= round(count / total, 4) <= high <= 1
