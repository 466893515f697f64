"""What questions prefer."""

from datetime import timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.ranking.blend import recompute_score
from retrieval.ranking.profile import Profile
from retrieval.ranking.rank import rank
from retrieval.understanding import About, Preference, PreferenceKind, Preferences
from tests.unit.retrieval.builders import NOW, evidence, fused

NEWEST = Preferences(recency=1.0)


def ranked(passages, relevances, preferences, **values):
    found = [fused(number, relevances[number]) for number in passages]
    return rank(found, passages, profile=Profile(**values), as_of=NOW, preferences=preferences)


def chunk_ids(hits):
    return [hit.evidence.chunk_id for hit in hits]


def aged(*days):
    return {
        number: evidence(number, published_at=NOW - timedelta(days=age))
        for number, age in enumerate(days, start=1)
    }


def test_prefer__the_newest_before_what_fits_a_little_better():
    reports = aged(1100, 1010, 920)
    relevances = {1: 1.0, 2: 0.9, 3: 0.7}
    assert chunk_ids(ranked(reports, relevances, Preferences())) == [1, 2, 3]
    hits = ranked(reports, relevances, NEWEST)
    assert chunk_ids(hits) == [3, 2, 1]
    assert "newest" not in hits[0].receipt.boosts
    # 90 days behind the newest are three half-lives of 30: 0.8 x (1 - 1/8) of the score is lost
    blended = hits[1].score - hits[1].receipt.boosts["newest"]
    assert hits[1].receipt.boosts["newest"] == pytest.approx(-0.7 * blended)


def test_prefer__the_newest_is_the_newest_on_the_topic():
    """News of today about something else do not make two old reports equally old."""
    passages = aged(1010, 920, 0)
    assert chunk_ids(ranked(passages, {1: 1.0, 2: 0.9, 3: 0.05}, NEWEST)) == [2, 1, 3]


def test_prefer__without_a_date_counts_as_half_new():
    passages = {1: evidence(1, published_at=None), 2: evidence(2, published_at=NOW)}
    hits = ranked(passages, {1: 1.0, 2: 1.0}, NEWEST)
    assert chunk_ids(hits) == [2, 1]
    # 0.8 x (1 - 0.5)
    undated = hits[1]
    assert undated.receipt.boosts["newest"] == pytest.approx(-0.4 * undated.score / 0.6)


def test_prefer__switched_off_in_the_profile():
    hits = ranked(aged(100, 10), {1: 1.0, 2: 0.9}, NEWEST, recency_weight=0.0, bound=0.0)
    assert [hit.receipt.boosts for hit in hits] == [{}, {}]


def test_prefer__by_source_type_and_day():
    passages = {
        1: evidence(1, source_id=7),
        2: evidence(2, source_id=8, source_type="contract"),
        3: evidence(3, source_id=8, published_at=NOW),
        4: evidence(4, source_id=8, published_at=NOW + timedelta(days=1)),
    }
    preferred = (
        Preference(kind=PreferenceKind.SOURCE, name="source Camelot", source_ids=frozenset({7})),
        Preference(
            kind=PreferenceKind.INTENT,
            name="intent terms",
            source_types=frozenset({"contract"}),
            amount=-0.05,
        ),
        Preference(
            kind=PreferenceKind.PERIOD, name="2031", since=NOW, until=NOW + timedelta(days=1)
        ),
    )
    hits = ranked(passages, dict.fromkeys(passages, 0.5), Preferences(preferred=preferred))
    assert {hit.evidence.chunk_id: hit.receipt.boosts for hit in hits} == {
        1: {"source Camelot": 0.15},
        2: {"intent terms": -0.025},
        3: {"2031": 0.15},
        4: {},
    }


def test_prefer__what_is_about_the_entity_asked_about():
    grail = UUID(int=7)
    passages = {
        1: evidence(1, text="The cup is on the table."),
        2: evidence(2, text="The cup is in the castle.", entity_ids=(grail,)),
        3: evidence(3, text="The holy Grail is gold."),
    }
    preferences = Preferences(about=(About(name="Holy Grail", entity_id=grail),))
    hits = ranked(passages, {1: 1.0, 2: 0.5, 3: 0.4}, preferences)
    assert chunk_ids(hits) == [2, 3, 1]
    assert [set(hit.receipt.boosts) for hit in hits] == [set(), set(), {"elsewhere"}]
    # 0.95 of the score is lost
    assert hits[2].receipt.boosts["elsewhere"] == pytest.approx(-19 * hits[2].score)
    assert recompute_score(hits[2].receipt) == hits[2].score


shares = st.floats(0, 1)


@given(
    recency=shares,
    weight=shares,
    passages=st.lists(st.tuples(shares, st.none() | st.integers(0, 4000)), min_size=1, max_size=6),
)
def test_prefer__receipts_recompute_and_what_is_irrelevant_stays_so(recency, weight, passages):
    known = {
        number: evidence(
            number, published_at=None if age is None else NOW - timedelta(days=age), source_id=1
        )
        for number, (_, age) in enumerate(passages)
    }
    named = Preference(kind=PreferenceKind.SOURCE, name="source", source_ids=frozenset({1}))
    hits = ranked(
        known,
        {number: relevance for number, (relevance, _) in enumerate(passages)},
        Preferences(recency=recency, preferred=(named,)),
        recency_weight=weight,
    )
    for hit in hits:
        receipt = hit.receipt
        assert recompute_score(receipt) == hit.score
        # The bound, 0.5, and the boost for named sources, 0.3
        assert 0 <= hit.score <= receipt.relevance * 1.8 + 1e-9
        assert hit.score >= receipt.relevance * 0.5 * (1 - recency * weight) - 1e-9
