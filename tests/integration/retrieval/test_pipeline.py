"""Searching a real database, from the question to the hits."""

import threading
from dataclasses import replace

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from knowledge.embedding.hashing import HashingEmbedder
from knowledge.exceptions import EmbeddingError
from retrieval.exceptions import InvalidQuestionError, UnknownProfileError
from retrieval.pipeline import build_context, search
from retrieval.query.parse import SearchRequest
from retrieval.ranking.blend import recompute_score
from retrieval.services import get_profile
from retrieval.types import Verdict
from tests.integration.retrieval.conftest import NOW, CountingEmbedder

pytestmark = pytest.mark.django_db


def test_search__the_best_hit_holds_the_words(castle):
    result = castle.search("Who carries a coconut?")
    assert result.hits[0].evidence.external_id == "swallow.txt"
    assert result.hits[0].receipt.keyword_rank == 1
    assert result.hits[0].receipt.vector_rank == 1
    assert result.judgment.verdict is Verdict.ANSWERABLE
    assert result.profile == "balanced"
    assert result.interpretation == {"terms": ["carri", "coconut"], "unknown_terms": []}
    assert result.is_complete
    assert not result.is_degraded
    assert set(result.timings_ms) == {
        "embed",
        "terms",
        "arms",
        "evidence",
        "rerank",
        "rank",
        "keyword",
        "vector",
    }


def test_search__the_question_is_embedded_while_words_are_looked_up(castle):
    """The model answers only once the keyword arm is asked: else it would wait until the end."""
    words_are_asked = threading.Event()
    vector = castle.embedder.embed_query("coconut")

    class PatientEmbedder(CountingEmbedder):
        def embed_query(self, text):
            if not words_are_asked.wait(timeout=60):
                message = "nobody asked for words meanwhile"
                raise EmbeddingError(message)
            return vector

    def listen(execute, sql, parameters, many, context):
        if "crmind_repeated" in str(sql):
            words_are_asked.set()
        return execute(sql, parameters, many, context)

    with connection.execute_wrapper(listen):
        result = castle.search("Who carries a coconut?", embedder=PatientEmbedder())
    assert not result.is_degraded
    assert result.hits[0].receipt.vector_rank is not None


def test_search__every_receipt_gives_its_score(castle):
    hits = castle.search("holy grail or rabbit").hits
    assert len(hits) == 4
    assert all(recompute_score(hit.receipt) == hit.score for hit in hits)
    assert [hit.rank for hit in hits] == [1, 2, 3, 4]


def test_search__words_that_nobody_used_are_no_evidence(castle):
    result = castle.search("vrolk tindabesh quoopal")
    assert result.judgment.verdict is Verdict.NONE
    assert result.judgment.best_coverage == 0.0
    assert result.interpretation["unknown_terms"] == ["quoopal", "tindabesh", "vrolk"]
    assert build_context(result).text == ""


def test_build_context__cites_the_hits(castle):
    context = build_context(castle.search("Who carries a coconut?"))
    assert context.citations[0].chunk_ids == (castle.chunk_id("swallow.txt"),)
    assert "An unladen swallow carries a coconut by the husk." in context.text


@pytest.mark.parametrize(
    "question", ["", "   ", "\u200b", "\x00", "abc\x00def", "\ud800", "w " * 9_999]
)
def test_search__a_bad_question_touches_nothing(library, django_assert_num_queries, question):
    with django_assert_num_queries(0), pytest.raises(InvalidQuestionError) as caught:
        library.search(question)
    assert caught.value.field == "question"
    assert library.embedder.asked == []


@pytest.mark.parametrize("profile", [{"keyword_weight": 0.0}, {"vector_weight": 0.0}])
def test_search__an_arm_without_weight_is_not_asked(castle, profile):
    chosen = replace(get_profile(), **profile)
    result = search(
        SearchRequest(question="coconut"),
        reader_tags=frozenset(),
        now=NOW,
        embedder=castle.embedder,
        profile=chosen,
    )
    asked = "vector" if "keyword_weight" in profile else "keyword"
    other = "keyword" if asked == "vector" else "vector"
    assert asked in result.timings_ms
    assert other not in result.timings_ms
    assert result.hits[0].evidence.external_id == "swallow.txt"
    assert result.hits[0].receipt.relevance == pytest.approx(1.0)


def test_search__an_empty_knowledge_base_has_no_evidence(library):
    result = library.search("Is anybody there?")
    assert (result.hits, result.is_degraded) == ((), False)
    assert result.judgment.verdict is Verdict.NONE
    assert library.embedder.asked == []


def test_search__a_vector_that_is_known_is_not_computed_again(castle):
    request = SearchRequest(question="unladen swallow")
    vector = HashingEmbedder().embed_query(request.question)
    result = search(
        request, reader_tags=frozenset(), now=NOW, embedder=castle.embedder, query_vector=vector
    )
    assert castle.embedder.asked == []
    assert result.hits[0].receipt.vector_rank == 1


@pytest.mark.parametrize(
    "wrong",
    [{"SEARCH_LOG_QUESTIONS": "secret"}, {"SEARCH_LOG_DAYS": 0}, {"RERANKER_DEPTH": -1}],
    ids=str,
)
def test_search__a_wrong_setting_is_named(castle, settings, wrong):
    settings.CRMIND_RETRIEVAL = wrong
    (name,) = wrong
    with pytest.raises(ImproperlyConfigured, match=name):
        castle.search("Who carries a coconut?")


def test_search__an_unknown_profile(castle):
    with pytest.raises(
        UnknownProfileError, match=r"'nope'.*Published are: balanced, legal"
    ) as caught:
        castle.search("swallow", profile="nope")
    assert caught.value.field == "profile"


def test_search__few_statements(castle, django_assert_max_num_queries):
    with django_assert_max_num_queries(19):
        castle.search("unladen swallow")


def test_search__each_arm_scores_what_only_the_other_found(castle):
    """One passage an arm: the words are of the grail, the vector is that of the swallow."""
    shallow = replace(get_profile(), keyword_depth=1, vector_depth=1)
    request = SearchRequest(question="The grail of Anthrax, and a coconut")
    vector = HashingEmbedder().embed_query("An unladen swallow carries a coconut by the husk.")

    def receipts(profile):
        result = search(
            request,
            reader_tags=frozenset(),
            now=NOW,
            embedder=castle.embedder,
            query_vector=vector,
            profile=profile,
        )
        return {hit.evidence.external_id: hit.receipt for hit in result.hits}

    found, deep = receipts(shallow), receipts(get_profile())
    assert set(found) == {"grail.txt", "swallow.txt"}
    assert (found["grail.txt"].keyword_rank, found["grail.txt"].vector_rank) == (1, None)
    assert (found["swallow.txt"].keyword_rank, found["swallow.txt"].vector_rank) == (None, 1)
    for name, receipt in found.items():
        assert receipt.keyword_score == pytest.approx(deep[name].keyword_score)
        assert receipt.vector_score == pytest.approx(deep[name].vector_score)

    by_rank = receipts(replace(shallow, fusion="rrf"))
    assert by_rank["grail.txt"].vector_score is None
    assert by_rank["swallow.txt"].keyword_score is None
