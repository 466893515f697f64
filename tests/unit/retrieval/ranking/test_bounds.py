"""What trust, freshness, authority and caps may do to an order, and what never."""

from collections import Counter
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.ranking.profile import Profile
from retrieval.ranking.rank import rank
from retrieval.seed import PROFILES, shipped_profile
from tests.unit.retrieval.builders import NOW, evidence, fused

# With the bound 0.5 badges take half of 1.0 at most and add half to 0.3 at most: 0.5 and 0.45.
EXACT, UNRELATED = 1.0, 0.3
extremes = st.sampled_from([0.0, 1.0]) | st.floats(0, 1)
dates = st.none() | st.integers(-40_000, 400).map(lambda days: NOW + timedelta(days=days))
badges = st.fixed_dictionaries(
    {
        "trust": extremes,
        "authority": extremes,
        "published_at": dates,
        "half_life_days": st.sampled_from([0.01, 30.0, 36_500.0]),
    }
)


@pytest.mark.parametrize("slug", [seed.slug for seed in PROFILES])
@given(exact=badges, unrelated=st.lists(st.tuples(badges, st.floats(0, UNRELATED)), max_size=30))
def test_rank__no_badge_lifts_what_is_unrelated_over_an_exact_match(slug, exact, unrelated):
    passages = {0: evidence(0, **exact)}
    found = [fused(0, EXACT)]
    for number, (facts, relevance) in enumerate(unrelated, start=1):
        passages[number] = evidence(number, **facts)
        found.append(fused(number, relevance))
    hits = rank(found, passages, profile=shipped_profile(slug), as_of=NOW)
    assert hits[0].evidence.chunk_id == 0


@given(bound=st.floats(0, 1), first=badges, second=badges, relevance=st.floats(0.01, 1))
def test_rank__badges_move_no_further_than_the_bound_says(bound, first, second, relevance):
    """Whatever is less relevant by more than (1 - bound) / (1 + bound) stays behind."""
    less = relevance * (1 - bound) / (1 + bound) * 0.999
    passages = {1: evidence(1, **first), 2: evidence(2, **second)}
    hits = rank(
        [fused(1, less), fused(2, relevance)], passages, profile=Profile(bound=bound), as_of=NOW
    )
    if less > 0:
        assert [hit.evidence.chunk_id for hit in hits] == [2, 1]


@pytest.mark.parametrize("blend", ["bounded", "classic"])
@given(
    places=st.lists(
        st.tuples(st.integers(1, 6), st.integers(1, 3), st.sampled_from(["email", "contract"])),
        max_size=25,
    ),
    caps=st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(0, 5)),
)
def test_rank__no_document_source_or_type_exceeds_its_cap(places, caps, blend):
    document_cap, source_cap, type_cap = caps
    profile = Profile(
        blend=blend, document_cap=document_cap, source_cap=source_cap, type_cap=type_cap
    )
    passages = {
        number: evidence(number, document_id=document, source_id=source, source_type=kind)
        for number, (document, source, kind) in enumerate(places)
    }
    found = [fused(number, 1 / (number + 1)) for number in passages]
    hits = rank(found, passages, profile=profile, as_of=NOW)
    within = [hit.evidence for hit in hits if not hit.receipt.cap]
    assert hits[: len(within)] == [hit for hit in hits if not hit.receipt.cap]
    groups = (
        (document_cap, Counter(each.document_id for each in within)),
        (source_cap, Counter(each.source_id for each in within)),
        (type_cap, Counter(each.source_type for each in within)),
    )
    for cap, counts in groups:
        assert not cap or max(counts.values(), default=0) <= cap
