"""Names in filters, and what is said when there is no such thing."""

from datetime import date

import pytest

from knowledge.exceptions import AccessDeniedError, UnknownEntityError, UnknownSourceTypeError
from knowledge.models import EntityKind
from knowledge.services import ensure_entity, ensure_source
from retrieval.exceptions import InvalidFilterError
from retrieval.query.filters import (
    allowed_tags,
    resolve_entity,
    resolve_source_types,
    resolve_sources,
)
from retrieval.query.parse import SearchRequest, build_query
from tests.factories.knowledge import DocumentFactory
from tests.integration.retrieval.conftest import EVERYONE, NOW

pytestmark = pytest.mark.django_db


def test_resolve_entity__by_each_of_its_names(db):
    arthur, _ = ensure_entity(
        name="King Arthur", kind=EntityKind.PERSON, external_id="p-1", aliases=["Once and future"]
    )
    for reference in ("King Arthur", "king arthur ", "p-1", "once and future", str(arthur.pk)):
        assert resolve_entity(reference) == (arthur.pk,)
    assert resolve_entity("  ") == ()


def test_resolve_entity__all_that_share_a_name(db):
    person, _ = ensure_entity(name="Patsy", kind=EntityKind.PERSON)
    product, _ = ensure_entity(name="Patsy", kind=EntityKind.PRODUCT)
    assert set(resolve_entity("Patsy")) == {person.pk, product.pk}


@pytest.mark.parametrize("reference", ["Mordred", "5ad0421177cf76001a686f15", "%"])
def test_resolve_entity__unknown(db, reference):
    with pytest.raises(UnknownEntityError, match="There is no entity") as caught:
        resolve_entity(reference)
    assert caught.value.field == "entity"


def test_resolve_sources__in_any_case(seeded):
    source = ensure_source(name="Camelot Times")
    assert resolve_sources(["camelot times"], readable_with=EVERYONE) == (source.pk,)
    assert resolve_sources([], readable_with=EVERYONE) == ()


def test_resolve_sources__an_unknown_name_lists_those_the_reader_may_see(seeded):
    ensure_source(name="Camelot Times")
    ensure_source(name="Round table", access_tags=["knights"])
    with pytest.raises(InvalidFilterError) as caught:
        resolve_sources(["Camelot Tmies"], readable_with=EVERYONE)
    assert caught.value.message == ("There is no source 'camelot tmies'. There are Camelot Times.")
    assert caught.value.field == "sources"


def test_resolve_sources__one_the_reader_may_not_see_does_not_exist(seeded):
    source = ensure_source(name="Round table", access_tags=["knights"])
    with pytest.raises(InvalidFilterError):
        resolve_sources(["Round table"], readable_with=EVERYONE)
    DocumentFactory(source=source, access_tags=["everyone"])
    assert resolve_sources(["Round table"], readable_with=EVERYONE) == (source.pk,)


def test_resolve_source_types__unknown_lists_all(seeded):
    with pytest.raises(UnknownSourceTypeError, match=r"'blog'\. There are blog_post, ") as caught:
        resolve_source_types(["blog"])
    assert caught.value.field == "types"


def test_allowed_tags__narrow_but_never_widen():
    held = frozenset({"knights", "sales"})
    assert allowed_tags(None, held=held) == {"knights", "sales", "everyone"}
    assert allowed_tags(frozenset({"sales"}), held=held) == {"sales", "everyone"}
    assert allowed_tags(frozenset(), held=held) == {"everyone"}
    with pytest.raises(AccessDeniedError, match="'kings' is not held") as caught:
        allowed_tags(frozenset({"kings"}), held=held)
    assert caught.value.field == "access_tags"


def test_build_query__a_reversed_range_names_both_fields(db):
    request = SearchRequest(question="grail", since=date(2031, 4, 1), until=date(2031, 3, 31))
    with pytest.raises(InvalidFilterError) as caught:
        build_query(request, reader_tags=EVERYONE, now=NOW)
    assert caught.value.message == (
        "since (2031-04-01) is later than until (2031-03-31); exchange the two."
    )


@pytest.mark.parametrize("top_k", [-1, 0, 101, 10**9])
def test_build_query__top_k_has_bounds(db, top_k):
    with pytest.raises(InvalidFilterError, match="it may be 1 to 100") as caught:
        build_query(SearchRequest(question="grail", top_k=top_k), reader_tags=EVERYONE, now=NOW)
    assert caught.value.field == "top_k"
