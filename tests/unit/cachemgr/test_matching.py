"""Matching: similarity, guards and verifier decide together."""

import math
from dataclasses import replace

import pytest

from cachemgr.matching import Match, MatchPolicy, judge_match
from knowledge.exceptions import EmbeddingError

POLICY = MatchPolicy(similarity_threshold=0.8, added_word_similarity=0.9)
ASKED = "When does the contract end?"


class Verifier:
    """Gives each direction a score that a test names."""

    def __init__(self, *scores):
        self.scores = list(scores)
        self.asked = []

    def score(self, question, passages):
        self.asked.append((question, *passages))
        score = self.scores.pop(0)
        if isinstance(score, Exception):
            raise score
        return [score]


@pytest.mark.parametrize("similarity", [0.8, -1.0, math.nan])
def test_judge_match__has_to_exceed_the_threshold(similarity):
    match = judge_match(ASKED, ASKED, similarity=similarity, policy=POLICY)
    assert match == Match(is_near=False)
    assert not match.is_hit


@pytest.mark.parametrize(
    ("stored", "needed"),
    [
        ("When does a contract end?", 0.8),
        ("When does the term of the contract end?", 0.9),
    ],
)
def test_judge_match__a_word_more_needs_more_similarity(stored, needed):
    for asked, other in ((ASKED, stored), (stored, ASKED)):
        hit = judge_match(asked, other, similarity=needed + 0.001, policy=POLICY)
        assert hit.is_hit
        miss = judge_match(asked, other, similarity=needed, policy=POLICY)
        assert not miss.is_hit
        assert miss.refused_by == (("content",) if needed > 0.8 else ())


def test_judge_match__guards_refuse_at_any_similarity():
    match = judge_match(ASKED, "Why does the contract end?", similarity=1.0, policy=POLICY)
    assert match == Match(is_near=True, refused_by=("kind",))


@pytest.mark.parametrize(
    ("scores", "refused_by"),
    [((0.9, 0.5), ()), ((0.9, 0.4), ("verifier",)), ((0.4, 0.9), ("verifier",))],
)
def test_judge_match__the_verifier_has_to_agree_in_both_directions(scores, refused_by):
    verifier = Verifier(*scores)
    stored = "when does a contract end"
    match = judge_match(ASKED, stored, similarity=0.9, policy=replace(POLICY, verifier=verifier))
    assert match == Match(is_near=True, refused_by=refused_by)
    assert verifier.asked == [(ASKED, stored), (stored, ASKED)]


def test_judge_match__a_verifier_that_fails_lets_nothing_pass():
    policy = replace(POLICY, verifier=Verifier(EmbeddingError("no model")))
    match = judge_match(ASKED, ASKED, similarity=0.9, policy=policy)
    assert match == Match(is_near=True, refused_by=("verifier",), fault="no model")


def test_judge_match__what_guards_refuse_is_not_verified():
    verifier = Verifier()
    policy = replace(POLICY, verifier=verifier)
    judge_match(ASKED, "Why does the contract end?", similarity=0.9, policy=policy)
    assert verifier.asked == []
