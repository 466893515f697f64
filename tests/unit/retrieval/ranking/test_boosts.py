"""Boosts."""

from datetime import timedelta

import pytest

from retrieval.ranking.boosts import boosts
from retrieval.ranking.profile import Profile
from tests.unit.retrieval.builders import NOW, evidence

YESTERDAY, TOMORROW = NOW - timedelta(days=1), NOW + timedelta(days=1)


@pytest.mark.parametrize(
    ("changes", "added"),
    [
        ({}, {}),
        ({"is_superseded": True}, {"superseded": -1.5}),
        ({"is_superseded": True, "valid_until": YESTERDAY}, {"superseded": -1.5}),
        ({"valid_until": YESTERDAY}, {"expired": -1.5}),
        ({"valid_until": NOW}, {"expired": -1.5}),
        ({"valid_until": TOMORROW}, {}),
        ({"valid_from": TOMORROW}, {"not yet valid": -1.5}),
        ({"valid_from": YESTERDAY}, {}),
    ],
)
def test_boosts__outdated_documents_step_back(changes, added):
    assert boosts(evidence(**changes), profile=Profile(), as_of=NOW) == added


def test_boosts__outdated_documents_step_back_by_the_largest_score_of_the_blend():
    classic = Profile(blend="classic")
    assert boosts(evidence(is_superseded=True), profile=classic, as_of=NOW) == {"superseded": -1.0}


def test_boosts__words_count_as_far_as_they_are_covered():
    profile = Profile(lexical_boost=0.18)
    assert boosts(evidence(coverage=0.5), profile=profile, as_of=NOW) == {"words": 0.09}
    assert boosts(evidence(coverage=0.0), profile=profile, as_of=NOW) == {}
