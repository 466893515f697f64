"""Embedding by a server, over a real connection."""

import logging
import math

import numpy as np
import pytest

from crmind.exceptions import CRMindError
from knowledge.embedding.breaker import CircuitBreaker
from knowledge.embedding.http import DIALECTS, Endpoint, HttpEmbedder, is_same_model
from knowledge.embedding.transport import Transport, retry_after
from knowledge.exceptions import EmbeddingError, InvalidVectorError
from tests.unit.knowledge.embedding import server as misbehaving
from tests.unit.knowledge.embedding.contract import EmbedderContract
from tests.unit.knowledge.embedding.server import (
    DIMENSIONS,
    KEY,
    MODEL,
    EmbeddingServer,
    changed,
    fails,
    vectors,
)

ANY_PORT_NOBODY_HAS = "http://127.0.0.1:1/v1"


@pytest.fixture
def server():
    with EmbeddingServer() as started:
        yield started


@pytest.fixture
def pauses():
    return []


def embedder_at(url, pauses, *, provider="openai", seconds=5.0, batch_size=4, **options):
    transport = Transport(url, api_key=KEY, sleep=pauses.append, jitter=lambda: 1.0)
    endpoint = Endpoint(
        dialect=DIALECTS[provider],
        base_url=url,
        api_key=KEY,
        timeout_seconds=seconds,
        query_timeout_seconds=seconds,
        attempts=3,
        batch_size=batch_size,
    )
    values = {"model": MODEL, "dimensions": DIMENSIONS, "max_tokens": 512, **options}
    return HttpEmbedder(endpoint, provider=provider, transport=transport, **values)


class TestHttpEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self, server, pauses):
        return embedder_at(server.url, pauses)


def scaled(factor):
    def change(answer):
        for row in answer["data"]:
            row["embedding"] = [number * factor for number in row["embedding"]]

    return changed(change)


def swapped(answer):
    answer["data"].reverse()


INVALID = {
    "wrong dimension": changed(lambda a: a["data"][0].update(embedding=[0.5] * 3)),
    "NaN": scaled(math.nan),
    "infinite": scaled(math.inf),
    "all zeros": scaled(0.0),
    "no numbers": changed(lambda a: a["data"][0].update(embedding=["0.1"] * DIMENSIONS)),
    "base64": changed(lambda a: a["data"][0].update(embedding="AAAA")),
    "one too few": changed(lambda a: a["data"].pop()),
    "one too many": changed(lambda a: a["data"].append(a["data"][0])),
    "an index twice": changed(lambda a: a["data"][1].update(index=0)),
    "an index beyond": changed(lambda a: a["data"][1].update(index=7)),
    "no data": changed(lambda a: a.pop("data")),
}


@pytest.mark.parametrize("kind", INVALID)
def test_embed_passages__what_cannot_be_compared_is_refused(server, pauses, kind):
    server.always = INVALID[kind]

    with pytest.raises(InvalidVectorError):
        embedder_at(server.url, pauses).embed_passages(["pump", "valve"])


def test_embed_passages__another_model_is_refused(server, pauses):
    server.always = changed(lambda a: a.update(model="other-embed"))

    with pytest.raises(EmbeddingError, match=r"asked for the model 'tiny-embed'.* 'other-embed'"):
        embedder_at(server.url, pauses).embed_passages(["pump"])


BROKEN = {
    "500": (fails(500), "answers 500: broken"),
    "no JSON": (misbehaving.html, "something that is no JSON: '<html>.*EMBEDDING_BASE_URL"),
    "half a body": (misbehaving.half_a_body, "cannot be reached"),
    "hangs up": (misbehaving.hangs_up, "cannot be reached"),
    "hangs": (misbehaving.hangs, r"did not answer within 0\.2 s"),
    "drips": (misbehaving.drips, r"did not answer within 0\.2 s"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_embed_passages__a_server_that_fails_is_asked_again_then_given_up(server, pauses, kind):
    server.always, told = BROKEN[kind]

    with pytest.raises(EmbeddingError, match=told):
        embedder_at(server.url, pauses, seconds=0.2).embed_passages(["pump"])

    assert len(server.requests) == 3
    assert pauses == [0.5, 1.0]


@pytest.mark.parametrize("kind", BROKEN)
def test_embed_passages__a_fault_that_passes_costs_a_pause(server, pauses, kind):
    server.script = [BROKEN[kind][0]]

    (vector,) = embedder_at(server.url, pauses, seconds=0.2).embed_passages(["pump"])

    assert np.allclose(vector, vectors(["pump"])[0], atol=1e-6)
    assert pauses == [0.5]


def test_embed_passages__refused(pauses):
    with pytest.raises(EmbeddingError, match="cannot be reached"):
        embedder_at(ANY_PORT_NOBODY_HAS, pauses).embed_passages(["pump"])

    assert pauses == [0.5, 1.0]


def test_embed_passages__waits_as_long_as_the_server_asks(server, pauses):
    server.script = [fails(429, Retry_After="7"), fails(503)]

    embedder_at(server.url, pauses).embed_passages(["pump"])

    assert pauses == [7.25, 1.0]


def test_embed_passages__a_wait_of_hours_is_an_error(server, pauses):
    server.script = [fails(429, "quota used up", Retry_After="7200")]

    with pytest.raises(EmbeddingError, match="429: quota used up"):
        embedder_at(server.url, pauses).embed_passages(["pump"])

    assert pauses == []


@pytest.mark.parametrize(
    ("status", "told"),
    [(401, "Check EMBEDDING_API_KEY"), (404, "Check EMBEDDING_BASE_URL"), (400, "answers 400")],
)
def test_embed_passages__what_would_fail_again_is_not_tried_again(server, pauses, status, told):
    server.always = fails(status, "no")

    with pytest.raises(EmbeddingError, match=told):
        embedder_at(server.url, pauses).embed_passages(["pump"])

    assert len(server.requests) == 1


def test_embed_passages__a_redirect_is_not_followed(server, pauses):
    server.always = fails(307, "", Location="http://127.0.0.1:1/steal")

    with pytest.raises(EmbeddingError, match="answers 307"):
        embedder_at(server.url, pauses).embed_passages(["pump"])


def test_embed_passages__in_batches_and_in_halves_where_they_are_too_large(server, pauses):
    server.script = [fails(413, "at most 2 texts")]
    texts = [f"text {number}" for number in range(6)]

    made = embedder_at(server.url, pauses).embed_passages(texts)

    assert np.allclose(made, vectors(texts), atol=1e-6)
    assert [len(request["input"]) for request in server.requests] == [4, 2, 2, 2]


def test_embed_passages__each_vector_goes_by_its_index(server, pauses):
    server.script = [changed(swapped)]

    made = embedder_at(server.url, pauses).embed_passages(["pump", "valve"])

    assert np.allclose(made, vectors(["pump", "valve"]), atol=1e-6)


def test_openai__how_it_is_asked(server, pauses):
    embedder = embedder_at(
        server.url,
        pauses,
        asks_dimensions=True,
        query_prefix="query: ",
        document_prefix="passage: ",
    )
    embedder.embed_query("pump")
    embedder.embed_passages(["valve"])

    asked = {"path": "/v1/embeddings", "model": MODEL, "encoding_format": "float"}
    assert server.requests == [
        {**asked, "input": ["query: pump"], "dimensions": DIMENSIONS},
        {**asked, "input": ["passage: valve"], "dimensions": DIMENSIONS},
    ]
    assert server.keys == [f"Bearer {KEY}"] * 2


def test_voyage__how_it_is_asked(server, pauses):
    embedder = embedder_at(server.url, pauses, provider="voyage", asks_dimensions=True)
    embedder.embed_query("pump")
    embedder.embed_passages(["valve"])

    asked = {"path": "/v1/embeddings", "model": MODEL, "truncation": True}
    assert server.requests == [
        {**asked, "input": ["pump"], "input_type": "query", "output_dimension": DIMENSIONS},
        {**asked, "input": ["valve"], "input_type": "document", "output_dimension": DIMENSIONS},
    ]


def test_spec__asks_once_how_many_numbers_the_model_gives(server, pauses):
    embedder = embedder_at(server.url, pauses, dimensions=0)

    assert embedder.spec.dimensions == embedder.spec.dimensions == DIMENSIONS
    assert len(server.requests) == 1


def test_errors__never_hold_the_key(server, pauses, caplog):
    caplog.set_level(logging.DEBUG)
    server.always = fails(401, f"Incorrect API key provided: {KEY}. Or sk-very*****1234 ?")
    embedder = embedder_at(server.url, pauses)

    with pytest.raises(EmbeddingError) as refused:
        embedder.embed_query("pump")

    chain = [repr(error) for error in (refused.value, refused.value.__cause__)]
    told = " ".join([*chain, repr(embedder._endpoint), caplog.text])
    assert "sk-" not in told
    assert "Incorrect API key provided: [key]." in str(refused.value)


@pytest.mark.parametrize(
    "url", ["ftp://host/v1", "host:80", "http://name:pass@host/v1", "http://host/v1?key=1", ""]
)
def test_transport__addresses_that_are_none_or_hold_a_secret(url):
    with pytest.raises(EmbeddingError, match="EMBEDDING_BASE_URL") as refused:
        Transport(url, api_key="")
    assert "pass" not in str(refused.value).replace("password", "")


def test_embed_query__a_server_that_is_down_is_left_alone_for_a_while(server, pauses):
    now = [0.0]
    breaker = CircuitBreaker(failures=2, pause_seconds=10.0, clock=lambda: now[0])
    embedder = embedder_at(server.url, pauses, breaker=breaker)
    server.script = [fails(500), fails(500), fails(500)]

    for _ in range(2):
        with pytest.raises(EmbeddingError, match="answers 500"):
            embedder.embed_query("pump")
    with pytest.raises(EmbeddingError, match=r"failed 2 times, last: .* answers 500"):
        embedder.embed_query("pump")
    assert len(server.requests) == 2

    now[0] = 11.0
    with pytest.raises(EmbeddingError, match="answers 500"):
        embedder.embed_query("pump")
    with pytest.raises(EmbeddingError, match="failed 3 times"):
        embedder.embed_query("pump")
    assert len(server.requests) == 3

    now[0] = 22.0
    assert embedder.embed_query("pump").shape == (DIMENSIONS,)
    assert embedder.embed_query("pump").shape == (DIMENSIONS,)
    assert pauses == []


def test_breaker__lets_one_call_try_at_a_time():
    now = [0.0]
    breaker = CircuitBreaker(failures=1, pause_seconds=10.0, clock=lambda: now[0])
    breaker.fail("down")
    now[0] = 10.5
    breaker.check()

    with pytest.raises(CRMindError):
        breaker.check()


@pytest.mark.parametrize(
    ("asked", "told", "expected"),
    [
        ("nomic-embed-text", "nomic-embed-text:latest", True),
        ("BAAI/bge-m3", "bge-m3", True),
        ("bge-m3", "/models/BAAI/bge-m3", True),
        ("text-embedding-ada-002", "text-embedding-ada-002-v2", True),
        ("mistral-embed", "mistral-embed-2312", True),
        ("voyage-3", "voyage-3.5", False),
        ("voyage-3", "voyage-3-lite", False),
        ("text-embedding-3-small", "text-embedding-3-large", False),
        ("all-minilm:22m", "all-minilm:33m", False),
    ],
)
def test_is_same_model(asked, told, expected):
    assert is_same_model(asked, told) is expected


def test_retry_after__forms():
    assert retry_after({}) is None
    assert retry_after({"Retry-After": "soon"}) is None
    assert retry_after({"Retry-After": "-5"}) == 0.0
    assert retry_after({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0.0
    assert retry_after({"Retry-After": "Fri, 01 Jan 2999 00:00:00 GMT"}) > 1e6
