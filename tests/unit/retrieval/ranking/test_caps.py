"""Caps."""

from retrieval.ranking.caps import exceeded_caps
from retrieval.ranking.profile import Profile
from tests.unit.retrieval.builders import evidence


def test_exceeded_caps__by_document_source_and_type():
    ranked = [
        evidence(1, document_id=1, source_id=1, source_type="email"),
        evidence(2, document_id=1, source_id=1, source_type="email"),
        evidence(3, document_id=2, source_id=1, source_type="email"),
        evidence(4, document_id=3, source_id=1, source_type="email"),
        evidence(5, document_id=4, source_id=2, source_type="email"),
        evidence(6, document_id=5, source_id=3, source_type="email"),
    ]
    profile = Profile(document_cap=1, source_cap=2, type_cap=3)
    assert exceeded_caps(ranked, profile=profile) == ["", "document", "", "source", "", "type"]


def test_exceeded_caps__zero_is_no_limit():
    ranked = [evidence(number, document_id=1) for number in range(5)]
    profile = Profile(document_cap=0, source_cap=0, type_cap=0)
    assert exceeded_caps(ranked, profile=profile) == [""] * 5
