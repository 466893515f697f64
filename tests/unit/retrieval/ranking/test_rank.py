"""The final order."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.ranking.blend import recompute_score
from retrieval.ranking.profile import Profile
from retrieval.ranking.rank import rank
from tests.unit.retrieval.builders import NOW, evidence, fused


def chunk_ids(hits):
    return [hit.evidence.chunk_id for hit in hits]


def test_rank__without_a_date_ahead_and_past():
    """Three offices, equally relevant: ages used are on the receipts, no date is neutral."""
    offices = {
        1: evidence(1, published_at=None),
        2: evidence(2, published_at=NOW + timedelta(days=400)),
        3: evidence(3, published_at=NOW - timedelta(days=30)),
    }
    found = [fused(chunk_id, 1.0) for chunk_id in offices]
    hits = rank(found, offices, profile=Profile(), as_of=NOW)
    assert chunk_ids(hits) == [2, 3, 1]
    factors = {hit.evidence.chunk_id: hit.receipt.freshness for hit in hits}
    assert factors == pytest.approx({1: 0.5, 2: 1.0, 3: 0.891}, abs=1e-3)
    assert [hit.receipt.age_days for hit in hits] == [0.0, 30.0, None]


def test_rank__ties_by_chunk_id():
    passages = {number: evidence(number) for number in (9, 4, 7)}
    found = [fused(number, 0.5) for number in (9, 4, 7)]
    assert chunk_ids(rank(found, passages, profile=Profile(), as_of=NOW)) == [4, 7, 9]


def test_rank__a_superseded_document_comes_directly_after_its_successor():
    passages = {
        1: evidence(1, is_superseded=True, successor_ids=(2,)),
        2: evidence(2, title="Handbook 2031"),
        3: evidence(3),
        4: evidence(4),
    }
    found = [fused(1, 1.0), fused(2, 0.5), fused(3, 0.8), fused(4, 0.2)]
    hits = rank(found, passages, profile=Profile(bound=0.5), as_of=NOW)
    assert chunk_ids(hits) == [3, 2, 1, 4]
    # quality (0.25 x 0.5 + 0.2 x 0.7 + 0.15 x 0.5) / 0.6 = 0.566667, so 1.066667 x relevance
    receipt = hits[2].receipt
    assert (receipt.successor_id, receipt.superseded_by) == (2, "Handbook 2031")
    assert receipt.boosts == {"superseded": pytest.approx(-0.533334, abs=1e-6)}


def test_rank__a_superseded_document_moves_down_with_its_successor():
    """A cap on sources takes the successor off the page; the older document does not stay."""
    passages = {
        1: evidence(1, source_id=1),
        2: evidence(2, source_id=1),
        3: evidence(3, source_id=2, is_superseded=True, successor_ids=(2,)),
        4: evidence(4, source_id=3),
    }
    found = [fused(1, 1.0), fused(2, 0.9), fused(3, 1.0), fused(4, 0.1)]
    hits = rank(found, passages, profile=Profile(source_cap=1), as_of=NOW)
    assert chunk_ids(hits) == [1, 4, 2, 3]
    assert [hit.receipt.cap for hit in hits] == ["", "", "source", "source"]


def test_rank__what_exceeds_a_cap_moves_down_and_says_so():
    passages = {
        **{number: evidence(number, document_id=1) for number in (1, 2, 3)},
        4: evidence(4, document_id=2),
    }
    found = [fused(1, 1.0), fused(2, 0.9), fused(3, 0.8), fused(4, 0.1)]
    hits = rank(found, passages, profile=Profile(document_cap=2), as_of=NOW)
    assert chunk_ids(hits) == [1, 2, 4, 3]
    assert [hit.receipt.cap for hit in hits] == ["", "", "", "document"]
    assert [hit.rank for hit in hits] == [1, 2, 3, 4]


def test_rank__a_chunk_without_evidence_is_gone():
    assert chunk_ids(
        rank([fused(1, 1.0), fused(2, 0.9)], {2: evidence(2)}, profile=Profile(), as_of=NOW)
    ) == [2]


profiles = st.builds(
    Profile,
    blend=st.sampled_from(["classic", "bounded"]),
    relevance_weight=st.floats(0.01, 1),
    freshness_weight=st.floats(0, 1),
    trust_weight=st.floats(0, 1),
    authority_weight=st.floats(0, 1),
    bound=st.floats(0, 1),
    undated_freshness=st.floats(0, 1),
    lexical_boost=st.floats(0, 1),
    document_cap=st.integers(1, 3),
    source_cap=st.integers(0, 3),
)
passages = st.builds(
    evidence,
    document_id=st.integers(1, 3),
    source_id=st.integers(1, 2),
    trust=st.floats(0, 1),
    authority=st.floats(0, 1),
    half_life_days=st.floats(0.01, 1000),
    coverage=st.floats(0, 1),
    is_superseded=st.booleans(),
    successor_ids=st.lists(st.integers(1, 3), max_size=2, unique=True).map(tuple),
    published_at=st.none() | st.integers(-4000, 400).map(lambda days: NOW + timedelta(days=days)),
)


@given(
    profile=profiles,
    found=st.lists(st.tuples(passages, st.floats(0, 1)), max_size=8),
    order=st.randoms(),
)
def test_rank__the_receipt_gives_the_score_and_the_order_is_total(profile, found, order):
    known = {
        number: evidence(
            number,
            **{
                name: getattr(passage, name)
                for name in (
                    "document_id",
                    "source_id",
                    "trust",
                    "authority",
                    "half_life_days",
                    "coverage",
                    "is_superseded",
                    "successor_ids",
                    "published_at",
                )
            },
        )
        for number, (passage, _) in enumerate(found)
    }
    candidates = [fused(number, relevance) for number, (_, relevance) in enumerate(found)]
    hits = rank(candidates, known, profile=profile, as_of=NOW)
    assert all(recompute_score(hit.receipt) == hit.score == hit.receipt.score for hit in hits)
    assert sorted(chunk_ids(hits)) == list(range(len(found)))
    order.shuffle(candidates)
    assert rank(candidates, known, profile=profile, as_of=NOW) == hits
    keys = [(hit.receipt.cap != "", -hit.score, hit.evidence.chunk_id) for hit in hits]
    assert keys == sorted(keys)
