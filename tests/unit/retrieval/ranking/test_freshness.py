"""Ageing."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.ranking.freshness import age_in_days, freshness
from tests.unit.retrieval.builders import NOW


@pytest.mark.parametrize(
    ("published_at", "age", "factor"),
    [
        (None, None, 0.5),
        (NOW + timedelta(days=400), 0.0, 1.0),
        (NOW, 0.0, 1.0),
        # 0.5 ** (30 / 180) = 0.8909
        (NOW - timedelta(days=30), 30.0, 0.8909),
        (NOW - timedelta(days=180), 180.0, 0.5),
    ],
)
def test_freshness__undated_ahead_and_past(published_at, age, factor):
    age_days = age_in_days(published_at, as_of=NOW)
    assert age_days == age
    assert freshness(age_days, half_life_days=180.0, undated=0.5) == pytest.approx(factor, abs=1e-4)


@given(younger=st.floats(0, 1e5), by=st.floats(0, 1e5), half_life_days=st.floats(0.01, 1e5))
def test_freshness__falls_with_age_within_0_and_1(younger, by, half_life_days):
    fresher, staler = (
        freshness(age, half_life_days=half_life_days, undated=0.5)
        for age in (younger, younger + by)
    )
    assert 1.0 >= fresher >= staler >= 0.0
