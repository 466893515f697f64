"""What no caller should send: refused by name, before anything is searched."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowledge.embedding.hashing import HashingEmbedder
from knowledge.embedding.limited import TimeLimitedEmbedder
from knowledge.models import Document
from retrieval.models import SearchLog
from tests.integration.retrieval.api.test_search import ask, faults

pytestmark = pytest.mark.django_db

MOST = 4_096


@pytest.fixture
def reader(castle, client_with):
    return client_with("everyone")


def distinct_words(length):
    """Return a text of as many different words as fit."""
    return " ".join(f"{number:x}" for number in range(length))[:length].rstrip()


@pytest.mark.parametrize("path", ["search", "context", "why-not", "ask"])
@pytest.mark.parametrize(
    "question",
    [
        "x" * (MOST + 1),
        distinct_words(10_000),
        "word " * 20_000,
        "x" * 1_000_000,
        " ".join(map(str, range(150_000))),
    ],
    ids=["one more", "10 thousand", "100 thousand", "a million", "150,000 words"],
)
def test_search__a_giant_question_reaches_nothing(reader, embedder, path, question):
    embedder.fault = AssertionError("asked")
    wanted = {"document_id": 1} if path == "why-not" else {}
    with CaptureQueriesContext(
        connection,
    ) as queries:
        response = ask(reader, path, question=question, **wanted)
    assert response.status_code == 400
    assert faults(response) == {"question": "invalid_question"}
    assert len(response.content) < 1_000
    assert [sql for sql in map(str, queries) if "apikey" not in sql] == []
    assert not SearchLog.objects.exists()


def test_search__as_many_different_words_as_are_allowed(reader, embedder):
    question = distinct_words(MOST)
    assert MOST - 6 < len(question) <= MOST
    response = ask(reader, question=question)
    assert response.status_code == 200
    assert embedder.asked == [question]


def test_search__a_body_beyond_what_the_server_reads(reader):
    response = reader.post(
        "/api/v1/search/",
        json.dumps({"question": "é" * 1_000_000}),
        content_type="application/json",
    )
    assert response.status_code in {400, 413}
    assert set(response.json()["error"]) == {"code", "message", "field", "details"}


@pytest.mark.parametrize("value", [-1, 0, 101, 1_000_000_000, 10**30, "x", 1.5, True])
def test_search__how_many_is_a_number_from_1_to_100(reader, value):
    response = ask(reader, question="grail", top_k=value)
    assert response.status_code == 400
    assert set(faults(response)) == {"top_k"}


@pytest.mark.parametrize("name", ["offset", "page_size", "limit"])
def test_search__there_are_no_pages_to_ask_for(reader, name):
    response = ask(reader, question="grail", **{name: 10})
    assert response.status_code == 400
    assert faults(response) == {name: "unknown_key"}


@pytest.mark.parametrize("name", ["token_budget", "max_passages"])
@pytest.mark.parametrize("value", [-1, 0, 10**9, "x", 1.5, True])
def test_context__bounds_of_the_layout(reader, name, value):
    response = ask(reader, "context", question="grail", **{name: value})
    assert response.status_code == 400
    assert set(faults(response)) == {name}


class StuckEmbedder(HashingEmbedder):
    """Never answers as long as the test runs."""

    def embed_query(self, text):
        message = "the request has passed its time"
        raise TimeoutError(message)


@pytest.mark.parametrize("path", ["search", "context", "ask"])
def test_search__without_a_model_the_api_answers_from_words(reader, monkeypatch, path):
    limited = TimeLimitedEmbedder(StuckEmbedder(), limit_ms=60_000)
    for user in ("retrieval.pipeline", "cachemgr.api.asking"):
        monkeypatch.setattr(f"{user}.get_query_embedder", lambda: limited)
    response = ask(reader, path, question="unladen swallow")
    assert response.status_code == 200
    body = response.json()
    assert body["degraded"] is True
    assert body["warnings"] == [
        "the embedding model cannot be reached: the request has passed its time"
    ]
    assert [hit["external_id"] for hit in body["hits"]] == ["swallow.txt"]


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(st.characters(codec=None, categories=None), max_size=30),
    st.sampled_from(
        [
            "2031-02-30",
            "9999-12-31",
            "0001-01-01T00:00:00+14:00",
            "1000-01-01",
            "9000-12-31",
            "\x00",
        ]
    ),
)
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)
PROPER = {
    "question": st.sampled_from(["grail castle", "unladen swallow", "-refund", "the"]),
    "entity": st.just(""),
    "types": st.just(["blog_post"]),
    "sources": st.just(["Camelot"]),
    "since": st.just("2031-01-01"),
    "until": st.just("2031-12-31"),
    "access_tags": st.just([]),
    "as_of": st.just("2031-07-20"),
    "top_k": st.integers(1, 100),
    "profile": st.just("balanced"),
    "understanding": st.booleans(),
}
LAYOUT = {
    "token_budget": st.integers(50, 3_000),
    "max_passages": st.integers(1, 8),
    "order": st.sampled_from(["rank", "edges"]),
}
WANTED = {"document_id": st.integers(1, 9), "external_id": st.just("grail.txt")}


def bodies(**fields):
    """Return bodies in which one field or several are not what they should be."""
    known = {**PROPER, **fields}
    mixed = {name: proper | anything for name, proper in known.items()}
    question = {"question": mixed.pop("question")}
    return st.one_of(
        st.fixed_dictionaries(question, optional=mixed),
        st.sampled_from(sorted(known)).flatmap(
            lambda name: st.fixed_dictionaries(
                {
                    **{key: known[key] for key in ("question", "external_id") if key in known},
                    name: anything,
                }
            )
        ),
        anything,
    )


@pytest.mark.parametrize(
    ("path", "fields"), [("search", {}), ("context", LAYOUT), ("why-not", WANTED)]
)
@settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_search__any_body_is_answered_or_refused_by_name(reader, path, fields, data):
    body = data.draw(bodies(**fields))
    response = reader.post(f"/api/v1/{path}/", json.dumps(body), content_type="application/json")
    assert response.status_code in {200, 400, 403, 404}, response.content
    if response.status_code != 200:
        error = response.json()["error"]
        assert set(error) == {"code", "message", "field", "details"}
        assert error["message"]
        assert all(set(each) == {"code", "message", "field"} for each in error["details"])
    assert Document.objects.count() == 4
