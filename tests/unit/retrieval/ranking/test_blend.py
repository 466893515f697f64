"""Blending."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.ranking.blend import blend_weights, bounded, classic, recompute_score
from retrieval.ranking.profile import Profile
from tests.unit.retrieval.builders import RECEIPT

FACTORS = {"relevance": 0.8, "freshness": 0.5, "trust": 0.7, "authority": 0.3}
shares = st.floats(0, 1)


def test_classic__weighted_sum():
    # 0.4 x 0.8 + 0.25 x 0.5 + 0.2 x 0.7 + 0.15 x 0.3
    assert classic(FACTORS, blend_weights(Profile())) == pytest.approx(0.63)


def test_classic__weights_are_divided_by_their_sum():
    doubled = {name: 2 * weight for name, weight in blend_weights(Profile()).items()}
    assert classic(FACTORS, doubled) == pytest.approx(0.63)


def test_bounded__moves_relevance_by_at_most_the_bound():
    weights = blend_weights(Profile(blend="bounded", bound=0.25))
    best = {"relevance": 0.8, "freshness": 1.0, "trust": 1.0, "authority": 1.0}
    worst = {"relevance": 0.8, "freshness": 0.0, "trust": 0.0, "authority": 0.0}
    assert bounded(best, weights) == pytest.approx(0.8 * 1.25)
    assert bounded(worst, weights) == pytest.approx(0.8 * 0.75)


def test_bounded__without_other_weights_is_relevance():
    profile = Profile(blend="bounded", freshness_weight=0.0, trust_weight=0.0, authority_weight=0.0)
    assert bounded(FACTORS, blend_weights(profile)) == 0.8


@given(
    factors=st.fixed_dictionaries(dict.fromkeys(FACTORS, shares)),
    bound=shares,
    quality=st.floats(0, 1),
)
def test_bounded__trust_cannot_bury_what_is_far_more_relevant(factors, bound, quality):
    weights = blend_weights(Profile(blend="bounded", bound=bound))
    score = bounded(factors, weights)
    relevance = factors["relevance"]
    assert relevance * (1 - bound) - 1e-9 <= score <= relevance * (1 + bound) + 1e-9


def test_recompute_score__adds_the_boosts():
    receipt = replace(RECEIPT, boosts={"words": 0.1, "superseded": -0.5})
    # 0.4 x 1 + 0.25 x 0.5 + 0.2 x 0.7 + 0.15 x 0.5 = 0.74
    assert recompute_score(receipt) == pytest.approx(0.34)
