"""From a request to a query."""

import pytest

from knowledge.services import ensure_source
from retrieval.query.parse import SearchRequest, build_query
from tests.integration.retrieval.conftest import EVERYONE, NOW

pytestmark = pytest.mark.django_db


def described(question, *, tags=EVERYONE, **values):
    request = SearchRequest(question=question, **values)
    return build_query(request, reader_tags=tags, now=NOW).understanding.described


def test_build_query__names_of_sources_the_reader_may_know_of(seeded):
    ensure_source(name="Camelot Times", type_slug="news_article", access_tags=["knights"])
    question = "What does Camelot Times say?"
    assert described(question) == {}
    assert described(question, tags=EVERYONE | {"knights"}) == {
        "preferred": ["source Camelot Times"]
    }


def test_build_query__kinds_of_source_in_words_unless_they_are_given(seeded):
    question = "the notice period according to the contract"
    assert described(question) == {"preferred": ["source type contract"]}
    assert described(question, types=("email",)) == {}


def test_build_query__literally(seeded):
    question = "the latest price in the contract"
    assert set(described(question)) == {"recency", "preferred"}
    query = build_query(
        SearchRequest(question=question, understanding=False), reader_tags=EVERYONE, now=NOW
    )
    assert (query.understanding.described, query.topic) == ({}, question)
