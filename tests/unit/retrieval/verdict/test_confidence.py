"""How sure it is that a passage is about what was asked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.verdict import passage_confidence
from tests.unit.retrieval.builders import hit


@pytest.mark.parametrize(
    ("similarity", "coverage", "confidence"),
    [
        (0.0, 0.0, 0.0),
        (0.6, 0.0, 0.6),
        (None, 1.0, 0.9),
        (-0.3, 0.5, 0.45),
        # 1 - 0.5 x 0.55
        (0.5, 0.5, 0.725),
        (1.0, 0.0, 1.0),
    ],
)
def test_passage_confidence__by_hand(similarity, coverage, confidence):
    passage = hit(similarity=similarity, coverage=coverage)
    assert passage_confidence(passage) == pytest.approx(confidence)


@pytest.mark.parametrize(
    ("beside_names", "confidence"),
    # 1 - 0.5 x 0.55, 1 - 0.5 x 0.91, and never more than by all words
    [(None, 0.725), (0.1, 0.545), (1.0, 0.725)],
)
def test_passage_confidence__what_is_asked_of_an_entity_counts_beside_its_name(
    beside_names, confidence
):
    passage = hit(similarity=0.5, coverage=0.5, coverage_beside_names=beside_names)
    assert passage_confidence(passage) == pytest.approx(confidence)


@given(
    similarity=st.floats(-1, 1),
    coverage=st.floats(0, 1),
    more_similar=st.floats(0, 1),
    more_covered=st.floats(0, 1),
)
def test_passage_confidence__grows_with_each_witness(
    similarity, coverage, more_similar, more_covered
):
    less = passage_confidence(hit(similarity=similarity, coverage=coverage))
    more = passage_confidence(
        hit(
            similarity=min(similarity + more_similar, 1.0),
            coverage=min(coverage + more_covered, 1.0),
        )
    )
    assert 0 <= less <= more <= 1
