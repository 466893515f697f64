"""Grouping by meaning: what joins, what starts a group, and where it ends."""

import numpy as np
import pytest

from retrieval.gaps.grouping import Group, Grouping


def vector(degrees):
    angle = np.radians(degrees)
    return np.asarray([np.cos(angle), np.sin(angle)], np.float32)


def group(key, degrees, weight=1):
    return Group(key=key, centroid=vector(degrees), weight=weight)


# 0.9 is the cosine of about 26 degrees.
def test_place__joins_the_nearest_group_that_is_near_enough():
    grouping = Grouping([group(1, 0), group(2, 40)], similarity=0.9, most=10)

    assert [grouping.place(vector(degrees)).key for degrees in (5, 45, 24)] == [1, 2, 2]


def test_place__the_centroid_is_the_mean_of_its_questions():
    placed = Grouping([group(1, 0, weight=1)], similarity=0.9, most=10).place(vector(20) * 7)

    assert placed.centroid == pytest.approx(vector(10), abs=1e-6)
    assert (placed.weight, placed.is_changed) == (2, True)


def test_place__starts_a_group_that_the_next_ones_join():
    grouping = Grouping([], similarity=0.9, most=10)

    first, second, far = (grouping.place(vector(degrees)) for degrees in (0, 10, 90))

    assert first is second
    assert far is not first
    assert (first.key, first.weight, far.weight) == (None, 2, 1)


def test_place__no_more_groups_than_allowed():
    grouping = Grouping([group(1, 0)], similarity=0.9, most=1)

    assert grouping.place(vector(90)) is None
    assert grouping.place(vector(1)).key == 1
