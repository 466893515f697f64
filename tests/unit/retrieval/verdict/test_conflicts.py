"""Documents that contradict each other."""

from datetime import UTC, datetime, time, timedelta
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from retrieval.verdict.conflicts import find_conflict
from tests.unit.retrieval.builders import NOW, evidence

PAIRS = Path(__file__).parents[3] / "data" / "contradictions.yaml"
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
        ({"text": "The old castle holds 60 knights."}, "another time"),
        ({"text": "The castle holds at least 60 knights."}, "a bound"),
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


def pairs():
    given = yaml.safe_load(PAIRS.read_text(encoding="utf-8"))
    for pair in given:
        days = pair.get("published", (NOW.date(), NOW.date()))
        dates = [datetime.combine(day, time.min, tzinfo=UTC) for day in days]
        passages = [
            evidence(number, text=pair[side], title=side, published_at=published)
            for number, (side, published) in enumerate(zip(("one", "other"), dates, strict=True))
        ]
        found = find_conflict(pair["question"], passages, as_of=NOW)
        yield pair["one"], pair["contradicts"], found is not None


def test_find_conflict__hand_written_pairs():
    """Never wrong on them, and few contradictions are missed."""
    judged = list(pairs())
    planted = [found for _, contradicts, found in judged if contradicts]
    wrong = [text for text, contradicts, found in judged if found and not contradicts]
    assert len(planted) >= 30
    assert len(judged) - len(planted) >= 30
    assert wrong == []
    assert sum(planted) / len(planted) >= 0.9


@pytest.mark.parametrize("question", ["Who holds the castle?", "Where are the knights held?"])
def test_find_conflict__values_that_nobody_asked_for(question):
    ours, theirs = evidence(1, text=FORTY, title="Roll"), evidence(2, text=SIXTY, title="Chart")
    assert conflict(ours, theirs, question=question) is None
    both = f"{question[:-1]}, and how many does it hold?"
    assert conflict(ours, theirs, question=both) is not None


def test_find_conflict__a_year_only_answers_what_asks_for_a_moment():
    ours = evidence(1, text="The castle was founded in 1587.", title="Roll")
    theirs = evidence(2, text="The castle was founded in 1594.", title="Chart")
    assert conflict(ours, theirs, question="When was the castle founded?") is not None
    assert conflict(ours, theirs, question="Was the castle founded by knights?") is None
