"""Paired comparisons of two rankings."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.evaluation.significance import Comparison, compare_paired


def by_question(values):
    return {f"q{number:03}": value for number, value in enumerate(values)}


def compare(ours, theirs):
    return compare_paired(by_question(ours), by_question(theirs))


def test_compare_paired__counts_and_difference_by_hand():
    comparison = compare([1.0, 0.5, 0.25, 0.0], [0.5, 0.5, 0.5, 0.0])
    assert comparison.difference == pytest.approx(0.0625)
    assert (comparison.wins, comparison.ties, comparison.losses) == (1, 2, 1)


def test_compare_paired__the_p_value_is_that_of_all_exchanges():
    """Of the 2^8 ways to exchange the sides of eight questions the test draws 10,000."""
    differences = [0.4, 0.3, 0.3, 0.2, 0.2, 0.1, -0.1, -0.2]
    observed = abs(sum(differences))
    sums = [
        abs(sum(sign * value for sign, value in zip(signs, differences, strict=True)))
        for signs in product((-1, 1), repeat=len(differences))
    ]
    exact = sum(1 for value in sums if value >= observed - 1e-9) / len(sums)
    ours = [0.5 + value for value in differences]
    assert compare(ours, [0.5] * 8).p_value == pytest.approx(exact, abs=0.02)


def test_compare_paired__a_steady_gain_is_significant_and_noise_is_not():
    steady = compare([0.6] * 40, [0.5] * 40)
    assert steady.p_value < 0.001
    assert steady.interval == pytest.approx((0.1, 0.1))
    noise = compare([0.6, 0.4] * 20, [0.5] * 40)
    assert noise.p_value > 0.9
    assert noise.interval[0] < 0 < noise.interval[1]


def test_compare_paired__without_a_difference_nothing_is_told_apart():
    same = Comparison(difference=0.0, interval=(0.0, 0.0), p_value=1.0, wins=0, ties=2, losses=0)
    assert compare([0.3, 0.7], [0.3, 0.7]) == same
    assert compare([], []).p_value == 1.0


def test_compare_paired__only_the_same_questions():
    with pytest.raises(ValueError, match="same questions"):
        compare_paired({"q1": 1.0}, {"q2": 1.0})


figures = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=12)


@settings(max_examples=20, deadline=None)
@given(pairs=figures)
def test_compare_paired__exchanging_the_sides_mirrors_it(pairs):
    ours, theirs = zip(*pairs, strict=True)
    one, other = compare(ours, theirs), compare(theirs, ours)
    assert one.difference == pytest.approx(-other.difference)
    assert (one.wins, one.losses) == (other.losses, other.wins)
    assert one.p_value == other.p_value
    assert one.interval[0] <= one.difference + 1e-9
    assert one.difference <= one.interval[1] + 1e-9
