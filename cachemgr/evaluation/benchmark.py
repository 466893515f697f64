"""Measures how fast many stored answers are looked up, and whether the nearest is found."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

import numpy as np
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from cachemgr.evaluation.synthetic import SyntheticAnswers, vector_literal
from cachemgr.keys import Scope, scope_fingerprint
from cachemgr.models import CachedResponse
from cachemgr.services.lookup import (
    find_exact,
    find_nearest,
    find_semantic,
    nearest_statement,
)
from cachemgr.services.vector_index import index_name
from cachemgr.sql import statement
from knowledge.embedding.base import Vector
from retrieval.evaluation.benchmark import WARM_UP, measure_times
from retrieval.evaluation.synthetic import Chance

NEAR = 0.3
"""How far a question lies from one that is stored, in lengths of it: a cosine of about 0.96."""
TIE = 1e-4
QUESTION = "what is asked here"


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheBenchmark:
    """What is measured: stored answers, looked up so many times in each scope."""

    answers: SyntheticAnswers
    chance: Chance
    now: datetime
    query_count: int

    @property
    def step_count(self) -> int:
        """How many times `measure` tells of its progress."""
        return 2 * len(self.answers.scopes)

    def measure(self, *, advance: Callable[[int], None]) -> dict[str, object]:
        """Return all figures under the names `benchmark_cache --json` prints, by scope."""
        figures: dict[str, object] = {}
        for name, scope in self.answers.scopes.items():
            stored = self._sample(scope)
            exact = self._exact(scope, stored)
            advance(1)
            figures[name] = {
                "entries": self.answers.sizes[name],
                "exact": exact,
                "semantic": self._semantic(scope, stored),
                "uses_vector_index": self._uses_vector_index(scope),
            }
            advance(1)
        return figures

    def _sample(self, scope: Scope) -> list[tuple[str, Vector]]:
        """Return stored questions of a scope with their vectors, as many as are asked."""
        rows = CachedResponse.objects.filter(scope_fingerprint=scope_fingerprint(scope))
        wanted = self.query_count + WARM_UP
        found = list(rows.order_by("question_key").values_list("question", "vector")[:wanted])
        return [
            (question, np.asarray(vector, dtype=np.float32))
            for question, vector in (found * wanted)[:wanted]
        ]

    def _exact(self, scope: Scope, stored: list[tuple[str, Vector]]) -> dict[str, float]:
        ask = partial(_find_exact, scope, self.now)
        (times,) = measure_times([ask], [question for question, _ in stored])
        with CaptureQueriesContext(connection) as queries:
            ask(stored[0][0])
        return {**times, "statements": len(queries)}

    def _semantic(self, scope: Scope, stored: list[tuple[str, Vector]]) -> dict[str, float]:
        """Ask near stored questions, in words that the guards refuse for every neighbour."""
        asked = [self._near(vector) for _, vector in stored]
        ask = partial(_find_semantic, scope, self.now)
        (times,) = measure_times([ask], asked)
        with CaptureQueriesContext(connection) as queries:
            ask(asked[0])
        found = [self._finds_nearest(scope, vector) for vector in asked]
        return {**times, "statements": len(queries), "recall@1": round(sum(found) / len(found), 4)}

    def _near(self, vector: Vector) -> Vector:
        noise = self.chance.random.normal(size=vector.shape).astype(np.float32)
        moved = vector + noise / np.linalg.norm(noise) * NEAR
        near: Vector = (moved / np.linalg.norm(moved)).astype(np.float32)
        return near

    def _finds_nearest(self, scope: Scope, vector: Vector) -> bool:
        nearest = find_nearest(scope=scope, vector=vector, now=self.now)
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_indexscan = off")
            cursor.execute(self._text(scope), self._parameters(scope, vector))
            _, _, best = cursor.fetchone()
        return bool(nearest) and nearest[0].similarity >= best - TIE

    def _uses_vector_index(self, scope: Scope) -> bool:
        """Tell whether the planner looks into the vector index, or at the whole scope."""
        vector = self.chance.draw_vector()
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement("vector_session"), {"ef_search": "100"})
            cursor.execute(f"EXPLAIN {self._text(scope)}", self._parameters(scope, vector))
            plan = " ".join(line for (line,) in cursor.fetchall())
        return index_name(self.answers.space.pk) in plan

    def _text(self, scope: Scope) -> str:
        return nearest_statement(scope, dimensions=self.answers.space.dimensions)

    def _parameters(self, scope: Scope, vector: Vector) -> dict[str, Any]:
        return {
            "vector": vector_literal(vector),
            "scope_fingerprint": scope_fingerprint(scope),
            "now": self.now,
            "count": 10,
        }


def _find_exact(scope: Scope, now: datetime, question: str) -> None:
    find_exact(question=question, scope=scope, now=now)


def _find_semantic(scope: Scope, now: datetime, vector: Vector) -> None:
    find_semantic(question=QUESTION, scope=scope, vector=vector, now=now)
