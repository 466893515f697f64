"""Measures how fast a large corpus is searched, beside ordinary full-text search."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from time import perf_counter

from django.db import connection

from knowledge.embedding.base import Embedder, Vector
from knowledge.models import EVERYONE
from retrieval.conf import retrieval_settings
from retrieval.evaluation.index_recall import TIMEOUT_MS, measure_recall
from retrieval.evaluation.metrics import percentile
from retrieval.evaluation.synthetic import SyntheticCorpus
from retrieval.pipeline import answer
from retrieval.ranking.profile import Profile
from retrieval.search.keyword import find_by_keyword, read_terms
from retrieval.search.scope import measure_scope
from retrieval.search.session import search_session
from retrieval.search.sql import filter_parameters, statement
from retrieval.search.vector import find_by_vector
from retrieval.types import Filters, Query

# How many words of a question come from which ranks of the vocabulary, the commonest first.
QUESTIONS = {
    "common": ((5, 0, 40),),
    "mixed": ((4, 0, 200), (2, 1_000, 20_000)),
    "rare": ((4, 2_000, 30_000),),
}
NO_FILTER = Filters(access_tags=frozenset({EVERYONE}))
# The first questions load what the others find in memory.
WARM_UP = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """What is measured: a corpus, searched with a profile, so many questions of each sort."""

    corpus: SyntheticCorpus
    profile: Profile
    embedder: Embedder
    now: datetime
    query_count: int

    def measure(self, *, advance: Callable[[int], None]) -> dict[str, object]:
        """Return all figures under the names `benchmark --json` prints."""
        keyword = {}
        naive = {}
        hybrid = {}
        for sort in QUESTIONS:
            questions = [self._question(sort) for _ in range(self.query_count + WARM_UP)]
            keyword[sort] = _times(partial(self._ask_keyword, question) for question in questions)
            naive[sort] = _times(partial(self._ask_naively, question) for question in questions)
            hybrid[sort] = _times(partial(self._ask_hybrid, question) for question in questions)
            advance(1)
        vectors = [self.corpus.chance.draw_vector() for _ in range(self.query_count + WARM_UP)]
        vector = _times(partial(self._ask_vector, each, is_exact=False) for each in vectors)
        exact = _times(partial(self._ask_vector, each, is_exact=True) for each in vectors)
        advance(1)
        recall = {
            label: round(self._recall(filters, vectors[WARM_UP:]), 4)
            for label, filters in self._filters().items()
        }
        advance(1)
        return {
            "keyword": keyword,
            "vector": {**vector, "recall@10": recall},
            "hybrid": hybrid,
            "naive_keyword": naive,
            "exact_vector_ms": exact["p50_ms"],
            "ratios": _ratios(keyword, naive, hybrid),
        }

    def _question(self, sort: str) -> str:
        chance = self.corpus.chance
        return " ".join(
            chance.words[rank]
            for count, first, last in QUESTIONS[sort]
            for rank in chance.random.integers(first, last, size=count).tolist()
        )

    def _filters(self) -> dict[str, Filters]:
        return {
            "none": NO_FILTER,
            "1/8": replace(NO_FILTER, source_ids=(self.corpus.source_id,)),
            "1/5000": replace(NO_FILTER, entity_ids=(self.corpus.entity_id,)),
        }

    def _ask_keyword(self, question: str) -> None:
        settings = retrieval_settings()
        with search_session(settings, depth=self.profile.keyword_depth):
            find_by_keyword(
                read_terms(question),
                filters=NO_FILTER,
                depth=self.profile.keyword_depth,
                budget=settings.keyword_candidate_budget,
                scope=measure_scope(NO_FILTER, limit=settings.exact_scan_limit),
            )

    def _ask_naively(self, question: str) -> None:
        parameters = {
            **filter_parameters(NO_FILTER),
            "words": " | ".join(question.split()),
            "depth": self.profile.keyword_depth,
        }
        settings = replace(retrieval_settings(), statement_timeout_ms=TIMEOUT_MS)
        session = search_session(settings, depth=self.profile.keyword_depth)
        with session, connection.cursor() as cursor:
            cursor.execute(statement("naive_keyword"), parameters)
            cursor.fetchall()

    def _ask_vector(self, vector: Vector, *, is_exact: bool) -> None:
        settings = replace(retrieval_settings(), statement_timeout_ms=TIMEOUT_MS)
        with search_session(settings, depth=self.profile.vector_depth):
            find_by_vector(
                vector,
                space_id=self.corpus.space_id,
                filters=NO_FILTER,
                depth=self.profile.vector_depth,
                min_similarity=-1.0,
                is_narrow=is_exact,
            )

    def _ask_hybrid(self, question: str) -> None:
        answer(
            Query(question=question, filters=NO_FILTER, as_of=self.now),
            profile=self.profile,
            embedder=self.embedder,
            query_vector=self.corpus.chance.draw_vector(),
        )

    def _recall(self, filters: Filters, vectors: list[Vector]) -> float:
        return measure_recall(
            vectors,
            filters,
            space_id=self.corpus.space_id,
            depth=self.profile.vector_depth,
        )


def _times(asks: Iterable[Callable[[], None]]) -> dict[str, float]:
    milliseconds = []
    for ask in asks:
        started = perf_counter()
        ask()
        milliseconds.append((perf_counter() - started) * 1000)
    measured = milliseconds[WARM_UP:]
    return {
        "p50_ms": round(percentile(measured, 0.50), 1),
        "p95_ms": round(percentile(measured, 0.95), 1),
    }


Times = dict[str, dict[str, float]]


def _ratios(keyword: Times, naive: Times, hybrid: Times) -> dict[str, float]:
    """Return how many times longer ordinary full-text search takes, p95 against p95."""
    ratios = {
        f"naive / keyword, {sort}": naive[sort]["p95_ms"] / keyword[sort]["p95_ms"]
        for sort in QUESTIONS
    }
    ratios["naive / hybrid, mixed"] = naive["mixed"]["p95_ms"] / hybrid["mixed"]["p95_ms"]
    return {name: round(ratio, 2) for name, ratio in ratios.items()}
