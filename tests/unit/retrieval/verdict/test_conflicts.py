"""Documents that contradict each other."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.verdict.conflicts import find_conflict
from tests.unit.retrieval.builders import NOW, evidence

QUESTION = "How many knights does the castle hold?"
FORTY = "The castle holds 40 knights."
SIXTY = "The castle holds 60 knights."


def conflict(*passages, question=QUESTION):
    return find_conflict(question, passages, as_of=NOW)


def test_find_conflict__names_both_documents_and_values():
    found = conflict(evidence(1, text=FORTY, title="Roll"), evidence(2, text=SIXTY, title="Chart"))
    assert found.as_reason() == (
        "Documents disagree: “Roll” says 40 knights, “Chart” says 60 knights."
    )


def test_find_conflict__dates():
    found = conflict(
        evidence(1, text="The siege of the castle ends on 1 May 2031.", title="Roll"),
        evidence(2, text="The siege of the castle ends on 9 May 2031.", title="Chart"),
        question="When does the siege of the castle end?",
    )
    assert (found.one, found.other) == ("1 May 2031", "9 May 2031")


@pytest.mark.parametrize(
    ("other", "case"),
    [
        ({"text": FORTY}, "the same value"),
        ({"text": "The castle holds 40.5 knights."}, "rounded"),
        ({"text": "The castle holds 60 horses."}, "another unit"),
        ({"text": "The bridge of death has 60 knights."}, "about something else"),
        ({"text": "The castle holds 60 knights, or 70 knights."}, "not one value"),
        ({"text": SIXTY, "is_superseded": True}, "superseded"),
        ({"text": SIXTY, "valid_until": NOW}, "expired"),
        ({"text": SIXTY, "valid_from": NOW + timedelta(days=1)}, "not yet valid"),
        ({"text": SIXTY, "document_id": 1}, "one document"),
        ({"text": SIXTY, "title": "Roll"}, "one text in parts"),
        ({"text": SIXTY, "published_at": NOW}, "much newer"),
    ],
)
def test_find_conflict__is_silent(other, case):
    roll = evidence(1, text=FORTY, title="Roll", published_at=NOW - timedelta(days=31))
    assert conflict(roll, evidence(2, **{"title": "Chart", **other})) is None, case


def test_find_conflict__documents_of_the_same_weeks_and_undated_ones_count():
    roll = evidence(1, text=FORTY, title="Roll", published_at=NOW - timedelta(days=30))
    assert conflict(roll, evidence(2, text=SIXTY, title="Chart", published_at=NOW)) is not None
    assert conflict(roll, evidence(2, text=SIXTY, title="Chart")) is not None


@given(texts=st.lists(st.sampled_from([FORTY, SIXTY, "The castle holds many."]), max_size=4))
def test_find_conflict__exactly_when_two_values_are_stated(texts):
    passages = [evidence(number, text=text, title=str(number)) for number, text in enumerate(texts)]
    is_stated_twice = {FORTY, SIXTY} <= set(texts)
    assert (conflict(*passages) is not None) == is_stated_twice
