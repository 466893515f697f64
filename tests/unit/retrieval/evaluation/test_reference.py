"""The reference design that evaluations compare with."""

from datetime import timedelta

import pytest

from retrieval.evaluation.reference import reference_score
from tests.unit.retrieval.builders import NOW, evidence


@pytest.mark.parametrize(
    ("days", "freshness"), [(0, 1.0), (7, 0.7047), (14, 0.4966), (-30, 1.0), (36_500, 0.0)]
)
def test_reference_score__by_hand(days, freshness):
    passage = evidence(trust=0.9, authority=0.6, published_at=NOW - timedelta(days=days))
    # 0.40 x 0.5 + 0.25 x freshness + 0.20 x 0.9 + 0.15 x 0.6
    expected = 0.47 + 0.25 * freshness
    assert reference_score(passage, relevance=0.5, as_of=NOW) == pytest.approx(expected, abs=1e-4)


def test_reference_score__an_undated_document_counts_from_when_it_came():
    passage = evidence(trust=0.0, authority=0.0, fetched_at=NOW - timedelta(days=14))
    score = reference_score(passage, relevance=0.0, as_of=NOW)
    assert score == pytest.approx(0.25 * 0.4966, abs=1e-4)
