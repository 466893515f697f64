"""Asks the questions of an evaluation set and measures how well each arm orders the documents."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from functools import partial
from time import perf_counter

from knowledge.embedding.base import Embedder, Vector
from knowledge.models import EVERYONE, Chunk
from knowledge.services import active_space
from retrieval.conf import retrieval_settings
from retrieval.evaluation.datasets import Dataset, JudgedQuestion
from retrieval.evaluation.metrics import (
    Quality,
    measure_quality,
    ndcg_by_question,
    percentile,
    stale_share,
)
from retrieval.evaluation.reference import find_by_reference
from retrieval.pipeline import answer
from retrieval.query.parse import SearchRequest, build_query
from retrieval.ranking.profile import Profile
from retrieval.search.keyword import find_by_keyword, read_terms
from retrieval.search.scope import measure_scope
from retrieval.search.session import search_session
from retrieval.search.vector import find_by_vector
from retrieval.types import ArmResult, Judgment, Query

RANKED_DOCUMENTS = 100
# A document counts by its best chunk, so an arm is asked for more chunks than documents.
ARM_DEPTH = 300


class EvaluatedArm(StrEnum):
    """What is measured: one arm alone, the product with a profile, or what that is compared with.

    The latter are the product with another profile, the product without its reranker, and the
    reference design.
    """

    KEYWORD = "keyword"
    VECTOR = "vector"
    HYBRID = "hybrid"
    AGAINST = "against"
    UNRERANKED = "unreranked"
    REFERENCE = "reference"


# What `hybrid` is compared with, question by question.
YARDSTICKS = (EvaluatedArm.REFERENCE, EvaluatedArm.AGAINST, EvaluatedArm.UNRERANKED)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmFigures:
    """Quality and speed of one arm; the time leaves out embedding the question.

    `stale_at_1` is the share of questions whose first document is stale, None without a list of
    stale documents. `judgments` on the answerable and the unanswerable questions are the product's:
    an arm alone gives none.
    """

    quality: Quality
    stale_at_1: float | None
    p50_ms: float
    p95_ms: float
    ndcg_by_question: Mapping[str, float] = field(default_factory=dict)
    kinds: Mapping[str, "KindFigures"] = field(default_factory=dict)
    judgments: tuple[Judgment, ...] = ()
    unanswerable_judgments: tuple[Judgment, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KindFigures:
    """Quality on the questions of one kind."""

    quality: Quality
    stale_at_1: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The documents found, best first, a document once for each of its chunks."""

    documents: list[str]
    judgment: Judgment | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """What was found for each question, and how long each took."""

    rankings: dict[str, list[str]] = field(default_factory=dict)
    judgments: list[Judgment] = field(default_factory=list)
    milliseconds: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """With what questions are asked; `infers_filters` leaves those the set gives aside.

    `against` is the profile of the arm of that name.
    """

    profile: Profile
    against: Profile | None = None
    embedder: Embedder
    now: datetime
    infers_filters: bool = False


Ask = Callable[[Query, Vector], Answer]


def evaluate_arm(
    arm: EvaluatedArm, dataset: Dataset, asking: Asking, *, advance: Callable[[int], None]
) -> ArmFigures:
    """Ask every question of the set, whose documents are in the database."""
    ask = _ask_by(arm, asking)
    run = _run(dataset.questions, ask, asking, advance=advance)
    # Only the product judges; an arm alone has nothing to say on what cannot be answered.
    unanswerable = dataset.unanswerable if arm is EvaluatedArm.HYBRID else ()
    hopeless = _run(unanswerable, ask, asking, advance=advance)
    figures = _kind_figures(run, dataset, {question.question_id for question in dataset.questions})
    return ArmFigures(
        quality=figures.quality,
        stale_at_1=figures.stale_at_1,
        p50_ms=percentile(run.milliseconds, 0.50),
        p95_ms=percentile(run.milliseconds, 0.95),
        ndcg_by_question=ndcg_by_question(run.rankings, dataset.judgements),
        kinds={
            kind: _kind_figures(run, dataset, question_ids)
            for kind, question_ids in _by_kind(dataset.questions).items()
        },
        judgments=tuple(run.judgments),
        unanswerable_judgments=tuple(hopeless.judgments),
    )


def _run(
    questions: Iterable[JudgedQuestion],
    ask: Ask,
    asking: Asking,
    *,
    advance: Callable[[int], None],
) -> _Run:
    run = _Run()
    for question in questions:
        query = _query(question, asking)
        vector = asking.embedder.embed_query(query.question)
        # The product looks up the topic; embedded once, its vector is at hand.
        asking.embedder.embed_query(query.spelt_topic)
        started = perf_counter()
        found = ask(query, vector)
        run.milliseconds.append((perf_counter() - started) * 1000)
        documents = list(dict.fromkeys(found.documents))
        run.rankings[question.question_id] = documents[:RANKED_DOCUMENTS]
        if found.judgment is not None:
            run.judgments.append(found.judgment)
        advance(1)
    return run


def _by_kind(questions: Iterable[JudgedQuestion]) -> dict[str, set[str]]:
    kinds: dict[str, set[str]] = {}
    for question in questions:
        if question.kind:
            kinds.setdefault(question.kind, set()).add(question.question_id)
    return dict(sorted(kinds.items()))


def _kind_figures(run: _Run, dataset: Dataset, question_ids: Collection[str]) -> KindFigures:
    rankings = {key: run.rankings[key] for key in run.rankings if key in question_ids}
    judgements = {key: grades for key, grades in dataset.judgements.items() if key in question_ids}
    return KindFigures(
        quality=measure_quality(rankings, judgements),
        stale_at_1=stale_share(rankings, dataset.stale) if dataset.stale else None,
    )


def _ask_by(arm: EvaluatedArm, asking: Asking) -> Ask:
    ask_product = partial(_ask_product, profile=asking.profile, embedder=asking.embedder)
    match arm:
        case EvaluatedArm.KEYWORD:
            return _ask_keyword
        case EvaluatedArm.VECTOR:
            return partial(_ask_vector, space_id=active_space(asking.embedder.spec).pk)
        case EvaluatedArm.REFERENCE:
            return partial(_ask_reference, space_id=active_space(asking.embedder.spec).pk)
        case EvaluatedArm.HYBRID:
            return ask_product
        case EvaluatedArm.AGAINST:
            return partial(ask_product, profile=asking.against or asking.profile)
        case EvaluatedArm.UNRERANKED:
            return partial(ask_product, is_reranked=False)


def _query(question: JudgedQuestion, asking: Asking) -> Query:
    request = SearchRequest(
        question=question.text,
        entity="" if asking.infers_filters else question.entity,
        as_of=question.as_of,
        top_k=retrieval_settings().max_top_k,
    )
    return build_query(request, reader_tags=frozenset({EVERYONE}), now=asking.now)


def _ask_keyword(query: Query, _vector: Vector) -> Answer:
    settings = retrieval_settings()
    with search_session(settings, depth=ARM_DEPTH):
        result = find_by_keyword(
            read_terms(query.question),
            filters=query.filters,
            depth=ARM_DEPTH,
            budget=settings.keyword_candidate_budget,
            scope=measure_scope(query.filters, limit=settings.exact_scan_limit),
        )
    return _documents(_chunk_ids(result))


def _ask_vector(query: Query, vector: Vector, *, space_id: int) -> Answer:
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
    return _documents(_chunk_ids(result))


def _ask_reference(query: Query, vector: Vector, *, space_id: int) -> Answer:
    return _documents(find_by_reference(query, vector, space_id=space_id))


def _ask_product(
    query: Query, vector: Vector, *, profile: Profile, embedder: Embedder, is_reranked: bool = True
) -> Answer:
    """Search as the product does, but return every hit it ranked."""
    result = answer(
        replace(query, top_k=profile.keyword_depth + profile.vector_depth),
        profile=profile,
        embedder=embedder,
        query_vector=vector,
        is_reranked=is_reranked,
    )
    return Answer(
        documents=[hit.evidence.external_id for hit in result.hits], judgment=result.judgment
    )


def _chunk_ids(result: ArmResult) -> list[int]:
    return [candidate.chunk_id for candidate in result.candidates]


def _documents(chunk_ids: Sequence[int]) -> Answer:
    external_ids = dict(
        Chunk.objects.filter(pk__in=chunk_ids).values_list("pk", "document__external_id")
    )
    return Answer(
        documents=[external_ids[chunk_id] for chunk_id in chunk_ids if chunk_id in external_ids]
    )
