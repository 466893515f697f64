"""Dates of documents: age, ranges and the day asked from."""

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest

from knowledge.models import SourceType
from retrieval.explain import explain_receipt
from tests.integration.retrieval.conftest import NOW

pytestmark = pytest.mark.django_db


def test_search__dates_ahead_past_and_missing(library):
    library.add("north.txt", "Support desk opens at 08:00 (north office)")
    library.add(
        "south.txt",
        "Support desk opens at 08:00 (south office)",
        published_at=NOW + timedelta(days=400),
    )
    library.add(
        "west.txt",
        "Support desk opens at 08:00 (west office)",
        published_at=NOW - timedelta(days=30),
    )
    SourceType.objects.update(half_life_days=180)
    hits = library.search("support desk opens").hits
    assert {hit.evidence.external_id: hit.receipt.freshness for hit in hits} == pytest.approx(
        {"north.txt": 0.5, "south.txt": 1.0, "west.txt": 0.891}, abs=1e-3
    )
    assert {hit.evidence.external_id: hit.receipt.age_days for hit in hits} == {
        "north.txt": None,
        "south.txt": 0.0,
        "west.txt": 30.0,
    }
    assert all(np.isfinite(hit.score) for hit in hits)
    told = {hit.evidence.external_id: explain_receipt(hit.receipt)[1] for hit in hits}
    assert told == {
        "north.txt": "freshness 0.500: without a date",
        "south.txt": "freshness 1.000: 0 days old, half as fresh every 180 days",
        "west.txt": "freshness 0.891: 30 days old, half as fresh every 180 days",
    }


@pytest.fixture
def quarter_end(library):
    """Give three documents around the end of a quarter, and one without a date."""
    for name, moment in {
        "midnight.txt": datetime(2031, 3, 31, tzinfo=UTC),
        "evening.txt": datetime(2031, 3, 31, 18, 45, tzinfo=UTC),
        "april.txt": datetime(2031, 4, 1, tzinfo=UTC),
        "undated.txt": None,
    }.items():
        library.add(name, f"Quarterly report {name}", published_at=moment)
    return library


def test_search__the_last_day_is_whole(quarter_end):
    until = date(2031, 3, 31)
    assert set(quarter_end.found("report", until=until)) == {"midnight.txt", "evening.txt"}
    assert set(quarter_end.found("report", since=until)) == {
        "midnight.txt",
        "evening.txt",
        "april.txt",
    }
    both = quarter_end.found("report", since=until, until=until)
    assert set(both) == {"midnight.txt", "evening.txt"}
    exactly = quarter_end.found("report", until=datetime(2031, 3, 31, tzinfo=UTC))
    assert exactly == ["midnight.txt"]


def test_search__later_documents_do_not_exist_yet(quarter_end):
    result = quarter_end.search("report", as_of=datetime(2031, 3, 31, 20, tzinfo=UTC))
    ages = {hit.evidence.external_id: hit.receipt.age_days for hit in result.hits}
    assert ages == {
        "midnight.txt": pytest.approx(20 / 24),
        "evening.txt": pytest.approx(1.25 / 24),
        "undated.txt": None,
    }
