"""Trust, authority and succession of what is found."""

from datetime import timedelta
from itertools import pairwise

import pytest

from knowledge.models import Document
from knowledge.services import (
    retire_document,
    set_document_trust,
    supersede_document,
    update_source,
)
from tests.integration.retrieval.conftest import NOW

pytestmark = pytest.mark.django_db


def test_search__trust_decides_between_equals(library):
    library.add_all({"one.txt": "The bridge is open.", "two.txt": "The bridge is open."})
    assert library.found("bridge open") == ["one.txt", "two.txt"]
    set_document_trust(document=Document.objects.get(external_id="one.txt"), trust=0.1)
    result = library.search("bridge open")
    assert [(hit.evidence.external_id, hit.receipt.trust) for hit in result.hits] == [
        ("two.txt", 0.7),
        ("one.txt", 0.1),
    ]


def test_search__a_document_cannot_raise_the_trust_of_its_source(library):
    document = library.add("boast.txt", "Trust me, the bridge is open.")
    set_document_trust(document=document, trust=1.0)
    (hit,) = library.search("bridge").hits
    assert hit.receipt.trust == 0.7


def test_search__authority_of_the_source_before_that_of_its_kind(library):
    document = library.add("boast.txt", "The bridge is open.")
    assert library.search("bridge").hits[0].receipt.authority == 0.6
    update_source(source=document.source, authority_override=0.2)
    assert library.search("bridge").hits[0].receipt.authority == 0.2


def test_search__a_successor_comes_first_from_its_own_date_on(library):
    old = library.add("v1.txt", "Refunds within 14 days.", published_at=NOW - timedelta(days=90))
    new = library.add("v2.txt", "Refunds within 30 days.", published_at=NOW - timedelta(days=9))
    supersede_document(old=old, new=new, now=NOW)
    result = library.search("refunds within 14 days")
    assert [hit.evidence.external_id for hit in result.hits] == ["v2.txt", "v1.txt"]
    assert result.hits[1].receipt.superseded_by == "v2.txt"
    assert result.hits[1].score == pytest.approx(result.hits[0].score, abs=1e-5)
    only_old = library.search("refunds within 14 days", until=(NOW - timedelta(days=60)).date())
    (hit,) = only_old.hits
    assert set(hit.receipt.boosts) == {"superseded"}
    assert (hit.evidence.successor_ids, hit.receipt.superseded_by) == ((new.pk,), "")
    earlier = library.search("refunds within 14 days", as_of=NOW - timedelta(days=30))
    assert [hit.receipt.boosts for hit in earlier.hits] == [{}]


def test_search__the_latest_of_a_chain_comes_first_even_without_the_link_between(library):
    versions = [
        library.add(f"v{year}.txt", text, published_at=NOW - timedelta(days=9000 - year))
        for year, text in ((1, "Refunds in 14 days."), (2, "Returns."), (3, "Refunds in 9 days."))
    ]
    for old, new in pairwise(versions):
        supersede_document(old=old, new=new, now=NOW)
    assert library.found("refunds in 14 days") == ["v3.txt", "v2.txt", "v1.txt"]
    retire_document(document=versions[1])
    hits = library.search("refunds in 14 days").hits
    assert [hit.evidence.external_id for hit in hits] == ["v3.txt", "v1.txt"]
    assert hits[1].evidence.successor_ids == (versions[2].pk,)
