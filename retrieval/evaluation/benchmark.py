"""Measures how fast a large corpus is searched, beside ordinary full-text search."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from time import perf_counter
from typing import TypeVar

from django.db import connection

from knowledge.embedding.base import Embedder, Vector
from knowledge.models import EVERYONE
from retrieval.conf import retrieval_settings
from retrieval.evaluation.concurrency import measure_concurrency
from retrieval.evaluation.index_recall import COMPARED, TIE, TIMEOUT_MS, measure_recall
from retrieval.evaluation.metrics import percentile
from retrieval.evaluation.synthetic import SyntheticCorpus
from retrieval.pipeline import answer
from retrieval.ranking.profile import Profile
from retrieval.search.keyword import find_by_keyword, read_terms
from retrieval.search.scope import Scope, measure_scope
from retrieval.search.session import search_session
from retrieval.search.sql import filter_parameters, statement
from retrieval.search.vector import find_by_vector
from retrieval.types import ArmResult, Filters, Query

# How many words of a question come from which ranks of the vocabulary, the commonest first.
QUESTIONS = {
    "common": ((5, 0, 40),),
    "mixed": ((4, 0, 200), (2, 1_000, 20_000)),
    "rare": ((4, 2_000, 30_000),),
}
FILTERED = ("1/8", "1/5000")
AT_ONCE = (1, 4, 16)
NO_FILTER = Filters(access_tags=frozenset({EVERYONE}))
# The first questions load what the others find in memory.
WARM_UP = 3
# Scoring every passage that holds a common word takes a hundred times as long as a search.
MOST_COMPARED = 20

Asked = TypeVar("Asked")
Times = dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """What is measured: a corpus, searched with a profile, so many questions of each sort."""

    corpus: SyntheticCorpus
    profile: Profile
    embedder: Embedder
    now: datetime
    query_count: int

    @property
    def step_count(self) -> int:
        """How many times `measure` tells of its progress."""
        return 2 * len(QUESTIONS) + len(FILTERED) + len(AT_ONCE) + 2

    def measure(self, *, advance: Callable[[int], None]) -> dict[str, object]:
        """Return all figures under the names `benchmark --json` prints."""
        keyword: dict[str, Times] = {}
        naive: dict[str, Times] = {}
        hybrid: dict[str, Times] = {}
        for sort in QUESTIONS:
            questions = self._questions(sort)
            asks = (self._ask_keyword, self._ask_naively, self._ask_hybrid)
            keyword[sort], naive[sort], hybrid[sort] = measure_times(asks, questions)
            advance(1)
            overlap = self._overlap(questions[WARM_UP:][:MOST_COMPARED])
            keyword[sort][f"overlap@{COMPARED}"] = round(overlap, 4)
            advance(1)
        for label in FILTERED:
            ask = partial(self._ask_hybrid, filters=self._filters()[label])
            (hybrid[label],) = measure_times([ask], self._questions("mixed"))
            advance(1)
        return {
            "keyword": keyword,
            "vector": self._vector_figures(advance),
            "hybrid": hybrid,
            "naive_keyword": naive,
            "exact_vector_ms": self._exact_milliseconds(),
            "concurrency": self._concurrency(advance),
            "ratios": _ratios(keyword, naive, hybrid),
        }

    def _questions(self, sort: str) -> list[str]:
        """Return questions of that sort, those that warm up first."""
        return [self._question(sort) for _ in range(self.query_count + WARM_UP)]

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

    def _vector_figures(self, advance: Callable[[int], None]) -> dict[str, object]:
        vectors = [self.corpus.chance.draw_vector() for _ in range(self.query_count + WARM_UP)]
        (times,) = measure_times([partial(self._ask_vector, is_exact=False)], vectors)
        advance(1)
        recall = {
            label: round(
                measure_recall(
                    vectors[WARM_UP:],
                    filters,
                    space_id=self.corpus.space_id,
                    depth=self.profile.vector_depth,
                ),
                4,
            )
            for label, filters in self._filters().items()
        }
        advance(1)
        return {**times, f"recall@{COMPARED}": recall}

    def _exact_milliseconds(self) -> float:
        vectors = [self.corpus.chance.draw_vector() for _ in range(self.query_count + WARM_UP)]
        (times,) = measure_times([partial(self._ask_vector, is_exact=True)], vectors)
        return times["p50_ms"]

    def _concurrency(self, advance: Callable[[int], None]) -> dict[str, Times]:
        """Return how long hybrid searches take when so many are asked at once."""
        figures = {}
        for at_once in AT_ONCE:
            # Drawn beforehand: chance is not for several threads.
            asks = [
                partial(self._ask_hybrid, question, vector=self.corpus.chance.draw_vector())
                for question in self._questions("mixed")
            ]
            figures[str(at_once)] = measure_concurrency(asks, at_once=at_once)
            advance(1)
        return figures

    def _overlap(self, questions: Sequence[str]) -> float:
        """Return the share of the best passages, were all that match scored, that are found."""
        everything = Scope(size=1, limit=1)
        shares = []
        for question in questions:
            found = self._ask_keyword(question).candidates[:COMPARED]
            every = self._ask_keyword(question, scope=everything).candidates[:COMPARED]
            if every:
                good = sum(1 for each in found if each.score >= every[-1].score - TIE)
                shares.append(min(good, len(every)) / len(every))
        return sum(shares) / len(shares) if shares else 1.0

    def _ask_keyword(self, question: str, *, scope: Scope | None = None) -> ArmResult:
        """Ask the keyword arm; given a scope, score whatever holds a word of the question."""
        settings = retrieval_settings()
        budget = settings.keyword_candidate_budget
        if scope is not None:
            settings = replace(settings, statement_timeout_ms=TIMEOUT_MS)
            budget = self.corpus.chunk_count
        with search_session(settings, depth=self.profile.keyword_depth):
            return find_by_keyword(
                read_terms(question),
                filters=NO_FILTER,
                depth=self.profile.keyword_depth,
                budget=budget,
                scope=scope or measure_scope(NO_FILTER, limit=settings.exact_scan_limit),
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

    def _ask_hybrid(
        self, question: str, *, filters: Filters = NO_FILTER, vector: Vector | None = None
    ) -> None:
        answer(
            Query(question=question, filters=filters, as_of=self.now),
            profile=self.profile,
            embedder=self.embedder,
            query_vector=self.corpus.chance.draw_vector() if vector is None else vector,
        )


def measure_times(
    asks: Sequence[Callable[[Asked], object]], questions: Sequence[Asked]
) -> list[Times]:
    """Return the times of each way to ask, without those that warm up.

    Every question is asked every way before the next, so that what else the machine does hits all
    alike; and each way goes first in turn, as the first finds least in memory.
    """
    milliseconds: list[list[float]] = [[] for _ in asks]
    for number, question in enumerate(questions):
        for place in range(len(asks)):
            chosen = (number + place) % len(asks)
            started = perf_counter()
            asks[chosen](question)
            milliseconds[chosen].append((perf_counter() - started) * 1000)
    return [summarize(taken[WARM_UP:]) for taken in milliseconds]


def summarize(milliseconds: Sequence[float]) -> Times:
    """Return the median and the 95th percentile under the names they are reported by."""
    return {
        "p50_ms": round(percentile(milliseconds, 0.50), 1),
        "p95_ms": round(percentile(milliseconds, 0.95), 1),
    }


def _ratios(
    keyword: Mapping[str, Times], naive: Mapping[str, Times], hybrid: Mapping[str, Times]
) -> Times:
    """Return how many times longer ordinary full-text search takes, p95 against p95."""
    ratios = {
        f"naive / keyword, {sort}": naive[sort]["p95_ms"] / keyword[sort]["p95_ms"]
        for sort in QUESTIONS
    }
    ratios["naive / hybrid, mixed"] = naive["mixed"]["p95_ms"] / hybrid["mixed"]["p95_ms"]
    return {name: round(ratio, 2) for name, ratio in ratios.items()}
