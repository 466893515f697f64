"""The stage that reranks."""

from knowledge.exceptions import EmbeddingError
from retrieval.rerank.stage import load_reranker, rerank
from tests.unit.retrieval.builders import evidence, fused

PASSAGES = {
    1: evidence(1, title="", text="Ni."),
    2: evidence(2, title="Grail", heading_path=("Castle",), prefix="| a |", text="It is here."),
    3: evidence(3, text="Peng."),
}
FOUND = [fused(1, 1.0), fused(9, 0.9), fused(2, 0.8), fused(3, 0.4)]


class LongestFirst:
    """Takes a long passage for a good one."""

    def __init__(self):
        self.asked = []

    def score(self, question, passages):
        self.asked.append((question, list(passages)))
        return [len(passage) / 100 for passage in passages]


class Broken:
    def score(self, question, passages):
        message = "the model is gone"
        raise EmbeddingError(message)


def test_rerank__reads_titles_and_headings_of_the_best_that_are_left():
    reranker = LongestFirst()
    reranked = rerank(FOUND, PASSAGES, question="grail?", reranker=reranker, depth=2)
    assert reranker.asked == [("grail?", ["Ni.", "Grail\nCastle\n| a |\nIt is here."])]
    assert [each.chunk_id for each in reranked.candidates] == [2, 1, 9, 3]
    assert reranked.fault == ""


def test_rerank__without_a_reranker_nothing_changes():
    reranked = rerank(FOUND, PASSAGES, question="grail?", reranker=None, depth=2)
    assert reranked.candidates == tuple(FOUND)
    assert load_reranker("") is None


def test_rerank__a_reranker_that_fails_is_told():
    reranked = rerank(FOUND, PASSAGES, question="grail?", reranker=Broken(), depth=2)
    assert (reranked.candidates, reranked.fault) == (tuple(FOUND), "the model is gone")
