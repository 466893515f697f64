"""Thresholds of the verdict from labelled questions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.evaluation.calibration import (
    Labelled,
    Thresholds,
    propose_thresholds,
    rates_at,
)

LABELLED = Labelled(answerable=(0.55, 0.75, 0.9, 0.95), unanswerable=(0.1, 0.2, 0.4, 0.805))


def test_rates_at__by_hand():
    rates = rates_at(0.5, LABELLED)
    assert (rates.answerable, rates.unanswerable) == (1.0, 0.25)
    assert rates.precision == 0.8
    assert rates_at(0.99, LABELLED).precision == 1.0


def test_propose_thresholds__by_hand():
    # From 0.41 on three of four unanswerable ones are out and no answerable one is; from 0.81 on
    # nothing unanswerable passes.
    assert propose_thresholds(LABELLED, precision=0.95) == Thresholds(
        answerable_confidence=0.81, weak_confidence=0.41
    )
    assert propose_thresholds(LABELLED, precision=0.8).answerable_confidence == pytest.approx(0.81)


confidences = st.lists(st.floats(0, 1), min_size=1, max_size=20).map(tuple)


@given(answerable=confidences, unanswerable=confidences, precision=st.floats(0.01, 1))
def test_propose_thresholds__in_order_and_precise(answerable, unanswerable, precision):
    labelled = Labelled(answerable=answerable, unanswerable=unanswerable)
    thresholds = propose_thresholds(labelled, precision=precision)
    assert 0 <= thresholds.weak_confidence <= thresholds.answerable_confidence <= 1
    if thresholds.answerable_confidence < 1:
        assert rates_at(thresholds.answerable_confidence, labelled).precision >= precision
