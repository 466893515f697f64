"""The gate."""

from dataclasses import replace
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.ranking.profile import Profile
from retrieval.types import Filters, Query, Verdict
from retrieval.understanding import About, Preferences, Understanding
from retrieval.verdict import judge
from tests.unit.retrieval.builders import NOW, hit

PROFILE = Profile(answerable_confidence=0.75, weak_confidence=0.5)
QUERY = Query(
    question="How many knights does the castle hold?",
    filters=Filters(access_tags=frozenset({"everyone"})),
    as_of=NOW,
)


@pytest.mark.parametrize(
    ("similarity", "coverage", "verdict"),
    [
        (0.76, 0.0, Verdict.ANSWERABLE),
        (0.55, 0.55, Verdict.ANSWERABLE),
        (0.70, 0.0, Verdict.WEAK),
        (0.29, 0.4, Verdict.WEAK),
        (0.29, 0.2, Verdict.NONE),
        (-0.2, 0.0, Verdict.NONE),
    ],
)
def test_judge__meaning_and_words(similarity, coverage, verdict):
    judgment = judge([hit(similarity=similarity, coverage=coverage)], query=QUERY, profile=PROFILE)
    assert judgment.verdict is verdict
    assert judgment.best_similarity == similarity
    assert judgment.best_coverage == coverage
    assert len(judgment.reasons) == 2


def test_judge__nothing_found():
    judgment = judge([], query=QUERY, profile=PROFILE)
    assert judgment.verdict is Verdict.NONE
    assert judgment.confidence == 0.0
    assert judgment.reasons == ("Nothing was found.",)


def test_judge__meaning_and_words_have_to_meet_in_one_passage():
    apart = [hit(1, similarity=0.4, coverage=0.0), hit(2, similarity=0.0, coverage=0.4)]
    together = [hit(1, similarity=0.4, coverage=0.4)]
    assert judge(apart, query=QUERY, profile=PROFILE).confidence == pytest.approx(0.4)
    # 1 - 0.6 x 0.64
    assert judge(together, query=QUERY, profile=PROFILE).confidence == pytest.approx(0.616)


def test_judge__what_is_about_another_entity_is_no_evidence():
    stranger = hit(1, similarity=0.9)
    stranger = replace(stranger, receipt=replace(stranger.receipt, boosts={"elsewhere": -0.7}))
    about_it = hit(2, similarity=0.6, coverage=0.0)
    assert judge([stranger, about_it], query=QUERY, profile=PROFILE).confidence == 0.6
    assert judge([stranger], query=QUERY, profile=PROFILE).confidence == 0.9


@pytest.mark.parametrize(
    ("recency", "about", "verdict"),
    [(1.0, 1, Verdict.WEAK), (0.4, 1, Verdict.NONE), (1.0, 2, Verdict.NONE)],
)
def test_judge__the_newest_of_an_entity_is_weak_evidence_whatever_its_words(
    recency, about, verdict
):
    """Passages of the builders are about the entity of their number."""
    preferences = Preferences(
        recency=recency, about=(About(name="Arthur", entity_id=UUID(int=about)),)
    )
    asked = replace(QUERY, understanding=Understanding(preferences=preferences))
    judgment = judge([hit(1, similarity=0.1)], query=asked, profile=PROFILE)
    assert judgment.verdict is verdict
    given = replace(
        QUERY,
        filters=replace(QUERY.filters, entity_ids=(UUID(int=about),)),
        understanding=Understanding(preferences=Preferences(recency=recency)),
    )
    assert judge([hit(1, similarity=0.1)], query=given, profile=PROFILE).verdict is verdict


def test_judge__looks_at_ten_hits():
    hits = [hit(rank, similarity=0.1, coverage=0.0) for rank in range(1, 11)]
    assert (
        judge([*hits, hit(11, similarity=0.9)], query=QUERY, profile=PROFILE).verdict
        is Verdict.NONE
    )
    assert (
        judge([*hits[1:], hit(11, similarity=0.9)], query=QUERY, profile=PROFILE).confidence == 0.9
    )


def test_judge__does_not_look_at_ranks_and_fused_scores():
    best_of_nonsense = hit(rank=1, similarity=0.1, coverage=0.0)
    assert best_of_nonsense.receipt.relevance == 1.0
    assert judge([best_of_nonsense], query=QUERY, profile=PROFILE).verdict is Verdict.NONE


def test_judge__words_alone_are_weak_evidence_at_most():
    full = hit(similarity=None, coverage=1.0)
    judgment = judge([full], query=QUERY, profile=PROFILE, is_degraded=True)
    assert judgment.verdict is Verdict.WEAK
    assert judgment.reasons[0] == "Meaning could not be compared; only words were searched."
    none = judge(
        [hit(similarity=None, coverage=0.2)], query=QUERY, profile=PROFILE, is_degraded=True
    )
    assert none.verdict is Verdict.NONE


@pytest.mark.parametrize(
    ("similarity", "coverage", "reasons"),
    [
        (
            0.41,
            0.25,
            (
                (
                    "The best passage is similar to the question by 0.41 and holds 25% of the "
                    "weight of the question's words."
                ),
                (
                    "Together a confidence of 0.54: from 0.50 on evidence is weak, from 0.75 on it "
                    "suffices."
                ),
            ),
        ),
        (
            0.8,
            0.0,
            (
                (
                    "The best passage is similar to the question by 0.80 and holds 0% of the "
                    "weight of the question's words."
                ),
                "Together a confidence of 0.80, at least 0.75.",
            ),
        ),
        (
            0.1,
            0.0,
            (
                (
                    "The best passage is similar to the question by 0.10 and holds 0% of the "
                    "weight of the question's words."
                ),
                "Together a confidence of 0.10: below 0.50 there is no evidence.",
            ),
        ),
    ],
)
def test_judge__reasons_name_figures_and_thresholds(similarity, coverage, reasons):
    judgment = judge([hit(similarity=similarity, coverage=coverage)], query=QUERY, profile=PROFILE)
    assert judgment.reasons == reasons


def test_judge__strong_passages_that_disagree_are_conflicting():
    hits = [
        hit(1, similarity=0.8, title="Old roll", text="The castle may hold 40 knights."),
        hit(2, similarity=0.8, title="New roll", text="The castle can hold 60 knights."),
    ]
    judgment = judge(hits, query=QUERY, profile=PROFILE)
    assert judgment.verdict is Verdict.CONFLICTING
    assert judgment.reasons[-1] == (
        "Documents disagree: “Old roll” says 40 knights, “New roll” says 60 knights."
    )
    weak = [hits[0], hit(2, similarity=0.6, title="New roll", text=hits[1].evidence.text)]
    assert judge(weak, query=QUERY, profile=PROFILE).verdict is Verdict.ANSWERABLE


@given(
    weak=st.floats(0, 1), strong=st.floats(0, 1), similarity=st.floats(-1, 1), more=st.floats(0, 1)
)
def test_judge__more_similarity_never_closes_the_gate(weak, strong, similarity, more):
    order = [Verdict.NONE, Verdict.WEAK, Verdict.ANSWERABLE]
    profile = Profile(weak_confidence=min(weak, strong), answerable_confidence=max(weak, strong))
    verdicts = [
        judge([hit(similarity=value, coverage=0.3)], query=QUERY, profile=profile).verdict
        for value in (similarity, min(similarity + more, 1.0))
    ]
    assert order.index(verdicts[0]) <= order.index(verdicts[1])
