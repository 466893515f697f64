"""Outdated documents."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.ranking.blend import recompute_score
from retrieval.ranking.succession import outdated_because, step_back
from tests.unit.retrieval.builders import NOW, RECEIPT, evidence

YESTERDAY, TOMORROW = NOW - timedelta(days=1), NOW + timedelta(days=1)


def receipts_of(relevances):
    """Return receipts by chunk id whose blend is the relevance alone."""
    weights = {"relevance": 1.0, "freshness": 0.0, "trust": 0.0, "authority": 0.0}
    return {
        number: replace(RECEIPT, relevance=relevance, weights=weights, score=relevance)
        for number, relevance in relevances.items()
    }


def order(receipts):
    return sorted(receipts, key=lambda number: (-receipts[number].score, number))


def old(number, *successor_ids, **changes):
    return evidence(number, is_superseded=True, successor_ids=successor_ids, **changes)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, ""),
        ({"is_superseded": True}, "superseded"),
        ({"is_superseded": True, "valid_until": YESTERDAY}, "superseded"),
        ({"valid_until": YESTERDAY}, "expired"),
        ({"valid_until": NOW}, "expired"),
        ({"valid_until": TOMORROW}, ""),
        ({"valid_from": TOMORROW}, "not yet valid"),
        ({"valid_from": YESTERDAY}, ""),
    ],
)
def test_outdated_because(changes, reason):
    assert outdated_because(evidence(**changes), as_of=NOW) == reason


@pytest.mark.parametrize(
    "passage", [old(1, 77), evidence(1, valid_until=NOW), evidence(1, valid_from=TOMORROW)]
)
def test_step_back__without_a_successor_a_quarter_is_lost(passage):
    passages = {1: passage, 2: evidence(2)}
    stepped = step_back(receipts_of({1: 1.0, 2: 0.7}), passages, as_of=NOW)
    assert order(stepped) == [1, 2]
    assert stepped[1].score == 0.75
    assert stepped[1].boosts == {outdated_because(passage, as_of=NOW): -0.25}
    assert (stepped[1].successor_id, stepped[1].superseded_by) == (None, "")


def test_step_back__all_passages_stand_behind_the_best_of_the_successor():
    passages = {
        1: old(1, 9, document_id=8),
        2: old(2, 9, document_id=8),
        3: evidence(3, document_id=9),
        4: evidence(4, document_id=9),
    }
    stepped = step_back(receipts_of({1: 0.9, 2: 1.0, 3: 0.2, 4: 0.5}), passages, as_of=NOW)
    assert order(stepped) == [4, 2, 1, 3]


def test_step_back__what_stands_behind_already_loses_nothing():
    stepped = step_back(receipts_of({1: 0.3, 2: 0.7}), {1: old(1, 2), 2: evidence(2)}, as_of=NOW)
    assert (stepped[1].score, stepped[1].boosts) == (0.3, {})
    assert stepped[1].superseded_by == "Grail"


def test_step_back__a_chain_in_its_order_and_across_a_gap():
    passages = {1: old(1, 2, 3), 2: old(2, 3), 3: evidence(3), 4: evidence(4)}
    relevances = {1: 1.0, 2: 0.8, 3: 0.6, 4: 0.1}
    assert order(step_back(receipts_of(relevances), passages, as_of=NOW)) == [3, 2, 1, 4]
    del passages[2], relevances[2]
    assert order(step_back(receipts_of(relevances), passages, as_of=NOW)) == [3, 1, 4]


def test_step_back__of_two_successors_the_better_one_leads():
    passages = {1: old(1, 2, 3), 2: evidence(2, title="Prices"), 3: evidence(3), 4: evidence(4)}
    stepped = step_back(receipts_of({1: 1.0, 2: 0.9, 3: 0.1, 4: 0.5}), passages, as_of=NOW)
    assert order(stepped) == [2, 1, 4, 3]
    assert stepped[1].superseded_by == "Prices"


chains = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=2, max_size=7)


@given(chain=chains)
def test_step_back__no_document_before_a_successor_of_it(chain):
    """Each document replaces the one before; some were not found."""
    last = len(chain)
    passages = {
        number: evidence(
            number,
            is_superseded=number < last,
            successor_ids=tuple(range(number + 1, last + 1)),
        )
        for number, (_, is_found) in enumerate(chain, start=1)
        if is_found
    }
    relevances = {number: chain[number - 1][0] for number in passages}
    stepped = step_back(receipts_of(relevances), passages, as_of=NOW)
    found = sorted(passages, reverse=True)
    if last in passages:
        assert order(stepped) == found
    assert all(recompute_score(receipt) == receipt.score for receipt in stepped.values())


def test_step_back__a_circle_has_an_order():
    passages = {1: old(1, 2), 2: old(2, 1)}
    stepped = step_back(receipts_of({1: 1.0, 2: 0.5}), passages, as_of=NOW)
    assert order(stepped) == order(dict(reversed(stepped.items())))
    assert len(stepped) == 2
