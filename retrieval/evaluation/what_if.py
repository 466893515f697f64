"""What a change of trust, authority, half-life or a profile would do, before it is saved."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from django.db import OperationalError, connection, transaction

from crmind.exceptions import UnavailableError
from knowledge.embedding.base import Embedder
from knowledge.models import Source, SourceType
from retrieval.conf import retrieval_settings
from retrieval.evaluation.golden import (
    CaseAnswer,
    GoldenCase,
    deep,
    documents_of,
    in_turn,
    measure,
)
from retrieval.evaluation.remembering import RememberingEmbedder
from retrieval.pipeline import answer
from retrieval.ranking.profile import Profile
from retrieval.types import SearchResult, Verdict

SHOWN_DOCUMENTS = 10
# Changes of a rank below are not seen by anybody.
LEAST_SHIFT = 1e-9
LOCK_WAIT_MS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Another profile, or new values of sources or kinds of source, by their id.

    `touched_sources` are the ids of the sources whose documents it concerns, None for all.
    """

    before: Profile
    after: Profile
    model: type[Source] | type[SourceType] | None = None
    rows: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    touched_sources: Mapping[int, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedDocument:
    """A document in an order; `other_rank` is its place in the other one, None for nowhere."""

    document_id: int
    title: str
    source_name: str
    rank: int
    other_rank: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What becomes of one question; `shift` is how much its order moves, the top weighing most."""

    case: GoldenCase
    before: tuple[RankedDocument, ...]
    after: tuple[RankedDocument, ...]
    verdict_before: Verdict
    verdict_after: Verdict
    ndcg_before: float | None
    ndcg_after: float | None
    shift: float

    @property
    def is_changed(self) -> bool:
        """Whether anybody would notice."""
        return self.shift > LEAST_SHIFT or self.verdict_before is not self.verdict_after


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIf:
    """What becomes of the questions, those that change most first.

    `ndcg_before` and `ndcg_after` are means over the `judged_count` judged questions asked.
    """

    effects: tuple[Effect, ...]
    ndcg_before: float
    ndcg_after: float
    judged_count: int
    left_out: int

    @property
    def changed(self) -> list[Effect]:
        """The questions whose order or verdict changes."""
        return [effect for effect in self.effects if effect.is_changed]

    @property
    def gain(self) -> float:
        """How much golden-set quality rises; below 0 where it falls."""
        return self.ndcg_after - self.ndcg_before


def what_if(
    proposal: Proposal,
    cases: Sequence[GoldenCase],
    *,
    embedder: Embedder,
    began: float | None = None,
) -> WhatIf:
    """Ask the cases as things are and as they would be; nothing is changed.

    The proposed values are written in a transaction that is rolled back, so that searches answer
    exactly as they will. Only questions whose results hold a document concerned are asked again.
    Cases that do not fit into WHAT_IF_SECONDS are left out, the last ones first; the time runs from
    `began` on, by the clock of `perf_counter`. Raises UnavailableError where a row cannot be had.
    """
    seconds = retrieval_settings().what_if_seconds
    started = perf_counter() if began is None else began
    remembering = RememberingEmbedder(embedder)
    before: dict[str, SearchResult] = {}
    for case in in_turn(cases, deadline=started + seconds / 2):
        before[case.key] = _ask(case, proposal.before, remembering)
    asked = [case for case in cases if case.key in before]
    after = {key: found for key, found in before.items() if not _is_concerned(found, proposal)}
    concerned = [case for case in asked if case.key not in after]
    with _rehearsed(proposal):
        for case in in_turn(concerned, deadline=started + seconds):
            after[case.key] = _ask(case, proposal.after, remembering)
    known = [case for case in asked if case.key in after]
    effects = _effects(known, before, after)
    former, latter = (_mean([getattr(each, name) for each in effects]) for name in _NDCG)
    return WhatIf(
        effects=tuple(sorted(effects, key=lambda each: (-each.shift, each.case.text))),
        ndcg_before=former,
        ndcg_after=latter,
        judged_count=sum(each.ndcg_before is not None for each in effects),
        left_out=len(cases) - len(known),
    )


_NDCG = ("ndcg_before", "ndcg_after")


@contextmanager
def _rehearsed(proposal: Proposal) -> Iterator[None]:
    """Let searches within see the proposed values, then take them back."""
    if proposal.model is None:
        yield
        return
    with transaction.atomic():
        try:
            # Whoever indexes the source holds its row: better to say so than to wait.
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SELECT set_config('lock_timeout', %s, true)", [str(LOCK_WAIT_MS)])
                # In the order of their ids: two who look at the same rows do not deadlock.
                for pk, values in sorted(proposal.rows.items()):
                    proposal.model.objects.filter(pk=pk).update(**values)
        except OperationalError as error:
            message = "It is being changed or indexed right now. Try again in a moment."
            raise UnavailableError(message) from error
        try:
            yield
        finally:
            transaction.set_rollback(True)


def _ask(case: GoldenCase, profile: Profile, embedder: Embedder) -> SearchResult:
    return answer(deep(case.query, profile), profile=profile, embedder=embedder)


def _is_concerned(result: SearchResult, proposal: Proposal) -> bool:
    """Return whether the result holds a document of a source concerned, itself or as a copy."""
    touched = proposal.touched_sources
    if touched is None:
        return True
    names = set(touched.values())
    return any(
        hit.evidence.source_id in touched
        or any(copy.source_name in names for copy in hit.duplicates)
        for hit in result.hits
    )


def _effects(
    cases: Sequence[GoldenCase],
    before: Mapping[str, SearchResult],
    after: Mapping[str, SearchResult],
) -> list[Effect]:
    ndcg = [
        measure(cases, {key: _case_answer(each) for key, each in results.items()}).ndcg
        for results in (before, after)
    ]
    effects = []
    for case in cases:
        old, new = _order(before[case.key]), _order(after[case.key])
        effects.append(
            Effect(
                case=case,
                before=_beside(old, new),
                after=_beside(new, old),
                verdict_before=before[case.key].judgment.verdict,
                verdict_after=after[case.key].judgment.verdict,
                ndcg_before=ndcg[0].get(case.key),
                ndcg_after=ndcg[1].get(case.key),
                shift=shift([each.document_id for each in old], [each.document_id for each in new]),
            )
        )
    return effects


def shift(before: Sequence[int], after: Sequence[int]) -> float:
    """Return how much one order of documents differs from another, the first places most.

    Each document adds the difference of its reciprocal ranks; what is in one only counts from 0.
    """
    former, latter = (
        {key: 1 / rank for rank, key in enumerate(each, 1)} for each in (before, after)
    )
    return sum(
        abs(former.get(key, 0.0) - latter.get(key, 0.0)) for key in former.keys() | latter.keys()
    )


def _order(result: SearchResult) -> list[RankedDocument]:
    """Return the first documents, each once, at the place of its best passage."""
    ranked: dict[int, RankedDocument] = {}
    for hit in result.hits:
        evidence = hit.evidence
        if evidence.document_id in ranked:
            continue
        ranked[evidence.document_id] = RankedDocument(
            document_id=evidence.document_id,
            title=evidence.title or evidence.external_id,
            source_name=evidence.source_name,
            rank=len(ranked) + 1,
        )
        if len(ranked) == SHOWN_DOCUMENTS:
            break
    return list(ranked.values())


def _beside(
    order: Iterable[RankedDocument], other: Iterable[RankedDocument]
) -> tuple[RankedDocument, ...]:
    places = {each.document_id: each.rank for each in other}
    return tuple(
        RankedDocument(
            document_id=each.document_id,
            title=each.title,
            source_name=each.source_name,
            rank=each.rank,
            other_rank=places.get(each.document_id),
        )
        for each in order
    )


def _case_answer(result: SearchResult) -> CaseAnswer:
    return CaseAnswer(
        documents=documents_of(result), verdict=result.judgment.verdict, milliseconds=0.0
    )


def _mean(values: Iterable[float | None]) -> float:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else 0.0
