"""Asks the questions of the golden set of the knowledge base as it stands."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from time import perf_counter
from typing import Any, TypeVar

from django.db.models import Prefetch, QuerySet
from django.utils.http import urlencode

from crmind.exceptions import CRMindError
from knowledge.embedding.base import Embedder
from knowledge.models import EVERYONE, Source
from retrieval.evaluation.metrics import Quality, measure_quality, ndcg_by_question
from retrieval.models import GoldenQuestion, Judgement
from retrieval.pipeline import answer
from retrieval.query.moments import parse_moment
from retrieval.query.parse import SearchRequest, build_query
from retrieval.ranking.profile import Profile
from retrieval.types import Query, SearchResult, Verdict

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenCase:
    """A golden question ready to be asked; `grades` by document id.

    `address` is the query of the page "Try a question" that asks it.
    """

    key: str
    text: str
    query: Query
    grades: Mapping[str, int]
    is_answerable: bool
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseAnswer:
    """What one profile found for a case: documents by id, best first, each once."""

    documents: tuple[str, ...]
    verdict: Verdict
    milliseconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenCases:
    """The cases that can be asked, and what is left out in words."""

    cases: tuple[GoldenCase, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenFigures:
    """How well cases were answered; `ndcg` of each judged one by key."""

    quality: Quality
    ndcg: Mapping[str, float] = field(default_factory=dict)

    @property
    def judged_count(self) -> int:
        """How many questions have a document that answers them."""
        return len(self.ndcg)


def load_cases(*, now: datetime, limit: int | None = None) -> GoldenCases:
    """Return the golden questions that are judged, or marked as not answerable, newest first."""
    cases: list[GoldenCase] = []
    notes: list[str] = []
    unjudged = 0
    sources = dict(Source.objects.values_list("name", "pk"))
    for question in _questions()[:limit]:
        grades = {str(each.document_id): each.grade for each in question.judgements.all()}
        is_judged = any(grade > 0 for grade in grades.values())
        if question.is_answerable and not is_judged:
            unjudged += 1
            continue
        try:
            cases.append(_case(question, grades, sources=sources, now=now))
        except CRMindError as error:
            notes.append(f"Not asked: {question.text!r}. {error.message}")
    if unjudged:
        notes.append(f"Not asked: {unjudged} without a document that answers them.")
    return GoldenCases(cases=tuple(cases), notes=tuple(notes))


def ask_case(case: GoldenCase, *, profile: Profile, embedder: Embedder) -> CaseAnswer:
    """Search as the product does, but take note of every document it ranked."""
    started = perf_counter()
    result = answer(deep(case.query, profile), profile=profile, embedder=embedder)
    return CaseAnswer(
        documents=documents_of(result),
        verdict=result.judgment.verdict,
        milliseconds=(perf_counter() - started) * 1000,
    )


def deep(query: Query, profile: Profile) -> Query:
    """Return the query for all that the profile ranks."""
    return replace(query, top_k=profile.keyword_depth + profile.vector_depth)


def documents_of(result: SearchResult) -> tuple[str, ...]:
    """Return the ids of the documents that were ranked, best first, each once.

    A copy stands right behind the document that stands for it.
    """
    ids = (
        str(document_id)
        for hit in result.hits
        for document_id in (
            hit.evidence.document_id,
            *(copy.document_id for copy in hit.duplicates),
        )
    )
    return tuple(dict.fromkeys(ids))


def measure(cases: Iterable[GoldenCase], answers: Mapping[str, CaseAnswer]) -> GoldenFigures:
    """Return the figures of those cases that were answered and judged."""
    judgements = {case.key: case.grades for case in cases if case.key in answers}
    rankings = {key: answers[key].documents for key in judgements}
    return GoldenFigures(
        quality=measure_quality(rankings, judgements),
        ndcg=ndcg_by_question(rankings, judgements),
    )


def right_verdicts(
    cases: Iterable[GoldenCase], answers: Mapping[str, CaseAnswer], *, answerable: bool
) -> float | None:
    """Return the share of answerable (or not answerable) cases whose verdict says so."""
    asked = [case for case in cases if case.key in answers and case.is_answerable is answerable]
    if not asked:
        return None
    right = sum((answers[case.key].verdict is not Verdict.NONE) is answerable for case in asked)
    return right / len(asked)


def share_of_right_verdicts(
    cases: Iterable[GoldenCase], answers: Mapping[str, CaseAnswer]
) -> float:
    """Return the share of all cases asked that rightly find evidence, or rightly none."""
    right = [
        (answers[case.key].verdict is not Verdict.NONE) is case.is_answerable
        for case in cases
        if case.key in answers
    ]
    return sum(right) / len(right) if right else 0.0


def _questions() -> QuerySet[GoldenQuestion]:
    judgements = Judgement.objects.only("question_id", "document_id", "grade")
    prefetched = Prefetch("judgements", queryset=judgements)
    return GoldenQuestion.objects.order_by("-created_at", "-pk").prefetch_related(prefetched)


def _case(
    question: GoldenQuestion,
    grades: Mapping[str, int],
    *,
    sources: Mapping[str, int],
    now: datetime,
) -> GoldenCase:
    request = SearchRequest(question=question.text, as_of=question.as_of, **_limits(question))
    tags = frozenset(question.access_tags) | {EVERYONE}
    return GoldenCase(
        key=str(question.pk),
        text=question.text,
        query=build_query(request, reader_tags=tags, now=now),
        grades=grades,
        is_answerable=question.is_answerable,
        address=address_of(question, sources),
    )


def _limits(question: GoldenQuestion) -> dict[str, Any]:
    """Return the filters of a question as search requests take them."""
    filters = question.filters
    moments = {
        name: parse_moment(filters[name], field=name)
        for name in ("since", "until")
        if filters.get(name)
    }
    return {
        "entity": filters.get("entity", ""),
        "sources": tuple(filters.get("sources", ())),
        "types": tuple(filters.get("types", ())),
        **moments,
    }


def address_of(question: GoldenQuestion, sources: Mapping[str, int]) -> str:
    """Return the query of the page "Try a question" for a golden question.

    The page asks for the ids of sources, of which `sources` has those of each name.
    """
    filters = question.filters
    parameters = {
        "question": question.text,
        "entity": filters.get("entity", ""),
        "sources": sources.get(next(iter(filters.get("sources", ())), ""), ""),
        "types": "".join(filters.get("types", ())[:1]),
        "since": filters.get("since", ""),
        "until": filters.get("until", ""),
        "access_tags": ",".join(question.access_tags),
        "as_of": _local(question.as_of),
    }
    return urlencode({name: value for name, value in parameters.items() if value})


def _local(moment: datetime | None) -> str:
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z") if moment else ""


def in_turn(values: Iterable[Key], *, deadline: float) -> Iterator[Key]:
    """Yield values until the clock of `perf_counter` has passed the deadline."""
    for value in values:
        if perf_counter() > deadline:
            return
        yield value
