"""Asks the questions of an evaluation set and measures how well each arm orders the documents."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import partial
from time import perf_counter

from knowledge.embedding.base import Embedder, Vector
from knowledge.models import EVERYONE, Chunk
from knowledge.services import active_space
from retrieval.conf import retrieval_settings
from retrieval.evaluation.datasets import Dataset, JudgedQuestion
from retrieval.evaluation.metrics import Quality, measure_quality, percentile
from retrieval.pipeline import answer
from retrieval.query.parse import SearchRequest, build_query
from retrieval.ranking.profile import Profile
from retrieval.search.keyword import find_by_keyword, read_terms
from retrieval.search.scope import measure_scope
from retrieval.search.session import search_session
from retrieval.search.vector import find_by_vector
from retrieval.types import ArmResult, Query

RANKED_DOCUMENTS = 100
# A document counts by its best chunk, so an arm is asked for more chunks than documents.
ARM_DEPTH = 300


class EvaluatedArm(StrEnum):
    """What is measured: one arm alone, or the product with a profile."""

    KEYWORD = "keyword"
    VECTOR = "vector"
    HYBRID = "hybrid"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmFigures:
    """Quality and speed of one arm; the time leaves out embedding the question."""

    quality: Quality
    p50_ms: float
    p95_ms: float


Ask = Callable[[Query, Vector], list[str]]
"""Returns the documents an arm found, best first, a document once for each of its chunks."""


def evaluate_arm(
    arm: EvaluatedArm,
    dataset: Dataset,
    *,
    profile: Profile,
    embedder: Embedder,
    now: datetime,
    advance: Callable[[int], None],
) -> ArmFigures:
    """Ask every question of the set, whose documents are in the database."""
    ask = _ask_by(arm, profile=profile, embedder=embedder)
    rankings: dict[str, Sequence[str]] = {}
    milliseconds: list[float] = []
    for question in dataset.questions:
        query = _query(question, now=now)
        vector = embedder.embed_query(query.question)
        started = perf_counter()
        found = ask(query, vector)
        milliseconds.append((perf_counter() - started) * 1000)
        rankings[question.question_id] = list(dict.fromkeys(found))[:RANKED_DOCUMENTS]
        advance(1)
    return ArmFigures(
        quality=measure_quality(rankings, dataset.judgements),
        p50_ms=percentile(milliseconds, 0.50),
        p95_ms=percentile(milliseconds, 0.95),
    )


def _ask_by(arm: EvaluatedArm, *, profile: Profile, embedder: Embedder) -> Ask:
    match arm:
        case EvaluatedArm.KEYWORD:
            return _ask_keyword
        case EvaluatedArm.VECTOR:
            return partial(_ask_vector, space_id=active_space(embedder.spec).pk)
        case EvaluatedArm.HYBRID:
            return partial(_ask_hybrid, profile=profile, embedder=embedder)


def _query(question: JudgedQuestion, *, now: datetime) -> Query:
    request = SearchRequest(
        question=question.text,
        entity=question.entity,
        as_of=question.as_of,
        top_k=retrieval_settings().max_top_k,
    )
    return build_query(request, reader_tags=frozenset({EVERYONE}), now=now)


def _ask_keyword(query: Query, _vector: Vector) -> list[str]:
    settings = retrieval_settings()
    with search_session(settings, depth=ARM_DEPTH):
        result = find_by_keyword(
            read_terms(query.question),
            filters=query.filters,
            depth=ARM_DEPTH,
            budget=settings.keyword_candidate_budget,
            scope=measure_scope(query.filters, limit=settings.exact_scan_limit),
        )
    return _documents(result)


def _ask_vector(query: Query, vector: Vector, *, space_id: int) -> list[str]:
    settings = retrieval_settings()
    with search_session(settings, depth=ARM_DEPTH):
        result = find_by_vector(
            vector,
            space_id=space_id,
            filters=query.filters,
            depth=ARM_DEPTH,
            min_similarity=-1.0,
            is_narrow=measure_scope(query.filters, limit=settings.exact_scan_limit).is_narrow,
        )
    return _documents(result)


def _ask_hybrid(query: Query, vector: Vector, *, profile: Profile, embedder: Embedder) -> list[str]:
    """Search as the product does, but return every hit it ranked."""
    result = answer(
        replace(query, top_k=profile.keyword_depth + profile.vector_depth),
        profile=profile,
        embedder=embedder,
        query_vector=vector,
    )
    return [hit.evidence.external_id for hit in result.hits]


def _documents(result: ArmResult) -> list[str]:
    chunk_ids = [candidate.chunk_id for candidate in result.candidates]
    external_ids = dict(
        Chunk.objects.filter(pk__in=chunk_ids).values_list("pk", "document__external_id")
    )
    return [external_ids[chunk_id] for chunk_id in chunk_ids if chunk_id in external_ids]
