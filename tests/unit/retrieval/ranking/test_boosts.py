"""Boosts."""

from retrieval.ranking.boosts import boosts
from retrieval.ranking.profile import Profile
from tests.unit.retrieval.builders import evidence


def test_boosts__words_count_as_far_as_they_are_covered():
    profile = Profile(lexical_boost=0.18)
    assert boosts(evidence(coverage=0.5), profile=profile) == {"words": 0.09}
    assert boosts(evidence(coverage=0.0), profile=profile) == {}
