"""Searching with a reranker: a tiny one that the test saves."""

import pytest

from retrieval.rerank.stage import load_reranker
from tests.integration.retrieval.conftest import NOW
from tests.unit.knowledge.embedding.test_cross_encoder import save_cross_encoder

pytestmark = pytest.mark.django_db
QUESTION = "where is the grail in the castle?"


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return str(save_cross_encoder(tmp_path_factory.mktemp("tiny")))


def test_search__the_reranker_judges_the_best(castle, saved, settings):
    before = castle.search(QUESTION)
    settings.CRMIND_RETRIEVAL = {"RERANKER_MODEL": saved, "RERANKER_DEPTH": 2}
    result = castle.search(QUESTION)
    scores = load_reranker(saved).score(QUESTION, [hit.evidence.text for hit in before.hits[:2]])
    judged = {
        hit.evidence.chunk_id: hit.receipt.rerank_score
        for hit in result.hits
        if hit.receipt.rerank_score is not None
    }
    expected = [hit.evidence.chunk_id for hit in before.hits[:2]]
    assert judged == pytest.approx(dict(zip(expected, scores, strict=True)), abs=1e-6)
    assert [hit.receipt.relevance for hit in result.hits[:2]] == sorted(scores, reverse=True)
    assert {hit.evidence.chunk_id for hit in result.hits} == {
        hit.evidence.chunk_id for hit in before.hits
    }
    assert result.warnings == ()
    assert "rerank" in result.timings_ms


def test_search__a_reranker_that_cannot_be_loaded_is_told(castle, tmp_path, settings):
    before = castle.search(QUESTION, now=NOW)
    settings.CRMIND_RETRIEVAL = {"RERANKER_MODEL": str(tmp_path)}
    result = castle.search(QUESTION, now=NOW)
    assert result.hits == before.hits
    (warning,) = result.warnings
    assert "cannot be loaded" in warning
    assert not result.is_degraded
