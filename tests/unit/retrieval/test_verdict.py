"""The gate."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.ranking.profile import Profile
from retrieval.types import Verdict
from retrieval.verdict import judge
from tests.unit.retrieval.builders import hit

PROFILE = Profile(answerable_similarity=0.55, weak_similarity=0.30, min_coverage=0.5)


@pytest.mark.parametrize(
    ("similarity", "coverage", "verdict"),
    [
        (0.70, 0.0, Verdict.ANSWERABLE),
        (0.55, 0.0, Verdict.ANSWERABLE),
        (0.40, 0.5, Verdict.ANSWERABLE),
        (0.40, 0.4, Verdict.WEAK),
        (0.29, 1.0, Verdict.WEAK),
        (0.29, 0.4, Verdict.NONE),
        (-0.2, 0.0, Verdict.NONE),
    ],
)
def test_judge__meaning_and_words(similarity, coverage, verdict):
    judgment = judge([hit(similarity=similarity, coverage=coverage)], profile=PROFILE)
    assert judgment.verdict is verdict
    assert judgment.best_similarity == similarity
    assert judgment.best_coverage == coverage
    assert len(judgment.reasons) == 2


def test_judge__nothing_found():
    judgment = judge([], profile=PROFILE)
    assert judgment.verdict is Verdict.NONE
    assert judgment.reasons == ("Nothing was found.",)


def test_judge__does_not_look_at_ranks_and_fused_scores():
    best_of_nonsense = hit(rank=1, similarity=0.1, coverage=0.0)
    assert best_of_nonsense.receipt.relevance == 1.0
    assert judge([best_of_nonsense], profile=PROFILE).verdict is Verdict.NONE


def test_judge__words_alone_are_weak_evidence_at_most():
    full = hit(similarity=None, coverage=1.0)
    judgment = judge([full], profile=PROFILE, is_degraded=True)
    assert judgment.verdict is Verdict.WEAK
    assert judgment.reasons[0] == "Meaning could not be compared; only words were searched."
    none = judge([hit(similarity=None, coverage=0.2)], profile=PROFILE, is_degraded=True)
    assert none.verdict is Verdict.NONE


def test_judge__reasons_name_the_thresholds():
    judgment = judge([hit(similarity=0.41, coverage=0.25)], profile=PROFILE)
    assert judgment.reasons == (
        "The closest passage is related in meaning: similarity 0.41, between 0.30 and 0.55.",
        "The best passage holds 25% of the weight of the question's words, less than 50%.",
    )


@given(
    weak=st.floats(0, 1), strong=st.floats(0, 1), similarity=st.floats(-1, 1), more=st.floats(0, 1)
)
def test_judge__more_similarity_never_closes_the_gate(weak, strong, similarity, more):
    order = [Verdict.NONE, Verdict.WEAK, Verdict.ANSWERABLE]
    profile = Profile(weak_similarity=min(weak, strong), answerable_similarity=max(weak, strong))
    verdicts = [
        judge([hit(similarity=value, coverage=0.3)], profile=profile).verdict
        for value in (similarity, min(similarity + more, 1.0))
    ]
    assert order.index(verdicts[0]) <= order.index(verdicts[1])
