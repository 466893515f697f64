"""Vectors of two models never meet in one comparison, whatever is set and in whichever order."""

import math

import numpy as np
import pytest
from django.core.checks import run_checks
from django.db import connection

from knowledge.embedding.hashing import HashingEmbedder
from knowledge.embedding.registry import embedder_of, get_embedder, get_query_embedder
from knowledge.models import (
    ChunkEmbedding,
    Document,
    DocumentStatus,
    EmbeddingSpace,
    Source,
    SpaceStatus,
)
from knowledge.services import ensure_space
from knowledge.services.reembedding import begin_reembedding, fill_space
from knowledge.services.space_choice import new_choice
from knowledge.services.space_switch import switch_space
from retrieval.pipeline import search
from retrieval.query.parse import SearchRequest
from retrieval.search.vector import find_by_vector
from retrieval.types import Filters, Verdict
from tests.integration.retrieval.conftest import EVERYONE, NOW
from tests.unit.knowledge.embedding import server as misbehaving
from tests.unit.knowledge.embedding.server import (
    DIMENSIONS,
    MODEL,
    EmbeddingServer,
    changed,
    fails,
)

WIDTH = 384

pytestmark = pytest.mark.django_db(transaction=True)


def ask(question="unladen swallow"):
    return search(SearchRequest(question=question), reader_tags=frozenset({"everyone"}), now=NOW)


@pytest.fixture
def server(settings):
    with EmbeddingServer() as started:
        settings.CRMIND_KNOWLEDGE = {
            "EMBEDDING_PROVIDER": "openai",
            "EMBEDDING_MODEL": MODEL,
            "EMBEDDING_BASE_URL": started.url,
            "EMBEDDING_ATTEMPTS": 1,
            "QUERY_EMBEDDING_TIMEOUT_MS": 1_000,
        }
        yield started


def test_b23__another_model_of_the_same_width_in_the_settings(castle, server):
    """The one in use goes on answering; the other is told of and asked nothing."""
    before = ChunkEmbedding.objects.count()

    result = ask()

    assert not result.is_degraded
    assert result.hits[0].receipt.vector_rank == 1
    assert server.requests == []
    assert [message.id for message in run_checks(databases=["default"])] == ["knowledge.W001"]
    assert ChunkEmbedding.objects.count() == before
    assert EmbeddingSpace.objects.get().provider == "hashing"


def test_b23__the_vectors_of_a_model_are_made_anew_before_it_answers(castle, server):
    """Same width as the one in use: nothing but the space tells their vectors apart."""
    ensure_space(castle.embedder.spec)
    choice = new_choice(provider="openai", model=MODEL, dimensions=WIDTH)
    space = begin_reembedding(choice)
    assert space.options == {"asks_dimensions": True}
    fill_space(space, on_progress=lambda _: None)
    asked = len(server.requests)
    ask()
    assert len(server.requests) == asked

    switch_space(space=space, now=NOW)
    result = ask()

    assert not result.is_degraded
    assert server.requests[asked:] == [
        {
            "path": "/v1/embeddings",
            "model": MODEL,
            "input": ["unladen swallow"],
            "encoding_format": "float",
            "dimensions": WIDTH,
        }
    ]
    widths = {len(row.vector) for row in ChunkEmbedding.objects.filter(space=space)}
    assert widths == {WIDTH}


def test_search__a_provider_that_is_down_leaves_the_words(castle, server):
    space = begin_reembedding(new_choice(provider="openai", model=MODEL))
    fill_space(space, on_progress=lambda _: None)
    switch_space(space=space, now=NOW)
    server.always = fails(500)

    results = [ask() for _ in range(5)]

    for result in results:
        assert result.is_degraded
        assert [hit.evidence.external_id for hit in result.hits] == ["swallow.txt"]
        assert result.judgment.verdict is Verdict.WEAK
    assert "answers 500" in results[0].warnings[0]
    assert "failed 3 times" in results[4].warnings[0]
    questions = [each for each in server.requests if each["input"] == ["unladen swallow"]]
    assert len(questions) == 3


NOBODY = "http://127.0.0.1:1/v1"
T08 = {
    "refused": None,
    "500": fails(500),
    "429": fails(429, Retry_After="60"),
    "no JSON": misbehaving.html,
    "half a body": misbehaving.half_a_body,
    "hangs up": misbehaving.hangs_up,
    "never answers": misbehaving.hangs,
    "drips": misbehaving.drips,
    "wrong dimension": changed(lambda a: a["data"][0].update(embedding=[0.5] * 3)),
    "NaN": changed(lambda a: a["data"][0].update(embedding=[math.nan] * DIMENSIONS)),
    "all zeros": changed(lambda a: a["data"][0].update(embedding=[0.0] * DIMENSIONS)),
    "none": changed(lambda a: a["data"].pop()),
    "another model": changed(lambda a: a.update(model="other-embed")),
}


def test_t08__whatever_a_provider_does_words_answer_and_nothing_wrong_is_stored(
    castle, server, settings
):
    space = begin_reembedding(new_choice(provider="openai", model=MODEL))
    fill_space(space, on_progress=lambda _: None)
    switch_space(space=space, now=NOW)
    settings.CRMIND_KNOWLEDGE = {
        **settings.CRMIND_KNOWLEDGE,
        "QUERY_EMBEDDING_TIMEOUT_MS": 150,
        "EMBEDDING_TIMEOUT_SECONDS": 0.15,
    }
    before = ChunkEmbedding.objects.count()
    castle.embedder = get_embedder()

    for number, (kind, behaviour) in enumerate(T08.items()):
        server.always = behaviour
        # Not the address that the server has, but one where nobody listens.
        url = NOBODY if behaviour is None else server.url
        # A server of its own each time: what the one before did is forgotten.
        settings.CRMIND_KNOWLEDGE = {
            **settings.CRMIND_KNOWLEDGE,
            "EMBEDDING_PRICE_PER_MILLION_TOKENS": float(number),
            "EMBEDDING_BASE_URL": url,
        }
        result = ask()
        assert result.is_degraded, kind
        assert [hit.evidence.external_id for hit in result.hits] == ["swallow.txt"], kind
        with pytest.raises(AssertionError):
            castle.add(f"{number}.txt", "The knights who say ni.")

    assert ChunkEmbedding.objects.count() == before
    assert set(Document.objects.filter(chunk_count=0).values_list("status", flat=True)) == {
        DocumentStatus.FAILED
    }
    server.always = None
    settings.CRMIND_KNOWLEDGE = {
        **settings.CRMIND_KNOWLEDGE,
        "QUERY_EMBEDDING_TIMEOUT_MS": 20_000,
    }
    assert not ask().is_degraded


def test_t68__two_spaces_take_no_hits_from_each_other(castle):
    """Each space has an index of its own: the vectors of the other never use up its width."""
    castle.add_all({f"{n}.txt": f"Shrubbery number {n} of Roger." for n in range(60)})
    castle.add_all({f"law {n}.txt": f"Law number {n}." for n in range(6)}, source="legal")
    old = EmbeddingSpace.objects.get(status=SpaceStatus.ACTIVE)
    new = begin_reembedding(new_choice(provider="hashing", model="hashed", dimensions=64))
    fill_space(new, on_progress=lambda _: None)
    source_id = Source.objects.get(name="legal").pk

    for space in (old, new):
        vector = embedder_of(space).embed_query("Law number 3")
        for filters, matching in (
            (Filters(access_tags=EVERYONE), 70),
            (Filters(access_tags=EVERYONE, source_ids=(source_id,)), 6),
        ):
            for depth in (5, 50):
                found = find_by_vector(
                    vector,
                    space_id=space.pk,
                    filters=filters,
                    depth=depth,
                    min_similarity=-1.0,
                    is_narrow=False,
                )
                ids = {candidate.chunk_id for candidate in found.candidates}
                assert len(ids) == len(found.candidates) == min(depth, matching)
        with connection.cursor() as cursor:
            cursor.execute("SET enable_seqscan = off")
            cursor.execute(
                f"EXPLAIN SELECT chunk_id FROM knowledge_chunkembedding WHERE space_id = {space.pk}"
                f" ORDER BY vector::halfvec({space.dimensions})"
                f" <=> array_fill(0.1, ARRAY[{space.dimensions}])::halfvec({space.dimensions})"
                " LIMIT 3"
            )
            plan = "\n".join(line for (line,) in cursor.fetchall())
            cursor.execute("RESET enable_seqscan")
        assert space.index_name in plan


def test_switch__a_question_embedded_before_is_compared_with_what_it_was_embedded_for(castle):
    """The model is switched while a question is being embedded."""
    space = begin_reembedding(new_choice(provider="hashing", model="hashed", dimensions=64))
    fill_space(space, on_progress=lambda _: None)
    old = EmbeddingSpace.objects.get(status=SpaceStatus.ACTIVE)
    embedder = embedder_of(old)
    vector = embedder.embed_query("unladen swallow")
    switch_space(space=space, now=NOW)

    request = SearchRequest(question="unladen swallow")
    tags = frozenset({"everyone"})
    kept = search(request, reader_tags=tags, now=NOW, embedder=embedder, query_vector=vector)
    anew = search(
        request, reader_tags=tags, now=NOW, embedder=get_query_embedder(), query_vector=vector
    )

    assert (kept.is_degraded, anew.is_degraded) == (False, False)
    assert kept.hits[0].receipt.vector_score == pytest.approx(
        float(vector @ stored(old, kept)), abs=1e-3
    )
    narrow = HashingEmbedder(dimensions=64).embed_query("unladen swallow")
    assert anew.hits[0].receipt.vector_score == pytest.approx(
        float(narrow @ stored(space, anew)), abs=1e-3
    )


def stored(space, result):
    chunk_id = result.hits[0].evidence.chunk_id
    return np.asarray(ChunkEmbedding.objects.get(space=space, chunk_id=chunk_id).vector)
