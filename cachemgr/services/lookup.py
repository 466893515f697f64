"""Finds an answer that was given before: first by the words, then by the meaning."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef

from cachemgr.conf import cache_settings
from cachemgr.exceptions import UnknownResponseError
from cachemgr.keys import Scope, question_key, scope_fingerprint
from cachemgr.matching import Match, judge_match
from cachemgr.models import CachedResponse, fallen_citations
from cachemgr.policy import match_policy
from cachemgr.services.counting import count_outcome
from cachemgr.services.passages import build_citations
from cachemgr.sql import statement, statement_on_space
from cachemgr.types import CachedAnswer, HitKind, Lookup, MissReason
from knowledge.embedding.base import Embedder, Vector
from knowledge.embedding.vectors import check_vectors
from knowledge.exceptions import EmbeddingError, InvalidVectorError
from knowledge.services.entities import find_entity_ids
from retrieval.query.entities import possible_names

logger = logging.getLogger(__name__)

# Width of the search in the vector index: 40 is what pgvector starts with.
NEIGHBOURS_SEARCHED = 100
# Answers of a scope of which each is compared.
ALL_COMPARED = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A stored question near the one asked."""

    response_id: UUID
    question: str
    similarity: float


def look_up(
    *,
    question: str,
    scope: Scope,
    embedder: Embedder,
    now: datetime,
    similarity_threshold: float = 0.0,
) -> Lookup:
    """Return what `find_answer` finds, and count it."""
    lookup = find_answer(
        question=question,
        scope=scope,
        embedder=embedder,
        now=now,
        similarity_threshold=similarity_threshold,
    )
    count_lookup(lookup, now=now)
    return lookup


def find_answer(
    *,
    question: str,
    scope: Scope,
    embedder: Embedder,
    now: datetime,
    similarity_threshold: float = 0.0,
) -> Lookup:
    """Return the answer stored for this question, or for one that means the same, in this scope.

    The exact look-up embeds nothing. `similarity_threshold` can only raise that of the settings.
    Every passage the answer cites must still stand, and be readable with the scope's tags.
    """
    exact = find_exact(question=question, scope=scope, now=now)
    if exact.answer is not None:
        return exact
    vector = embed_question(question, embedder)
    if vector is None:
        return Lookup(kind=HitKind.MISS, reason=MissReason.NOT_EMBEDDED)
    semantic = find_semantic(
        question=question,
        scope=scope,
        vector=vector,
        now=now,
        similarity_threshold=similarity_threshold,
    )
    return semantic if semantic.reason is not MissReason.NO_MATCH else replace(exact, vector=vector)


def find_exact(*, question: str, scope: Scope, now: datetime) -> Lookup:
    """Return the answer stored under the same words in this scope; embeds nothing."""
    row = (
        _within_scope(scope)
        .filter(question_key=question_key(question))
        .annotate(is_standing=_is_standing(scope))
        .with_passages()
        .defer("vector")
        .first()
    )
    if row is None:
        return Lookup(kind=HitKind.MISS, reason=MissReason.NO_MATCH)
    if row.expires_at <= now:
        return Lookup(kind=HitKind.MISS, reason=MissReason.EXPIRED)
    if not row.is_standing:
        return Lookup(kind=HitKind.MISS, reason=MissReason.EVIDENCE_CHANGED)
    return _hit(HitKind.EXACT, row, similarity=1.0, now=now)


def count_lookup(lookup: Lookup, *, now: datetime) -> None:
    """Count how a look-up ended, and the hit for the answer that it served."""
    if lookup.answer is None:
        count_outcome(_miss_outcome(lookup), now=now)
        return
    count_outcome(
        lookup.kind,
        now=now,
        tokens_saved=lookup.answer.answer_tokens + lookup.answer.evidence_tokens,
        response_id=lookup.answer.response_id,
    )


def embed_question(question: str, embedder: Embedder) -> Vector | None:
    """Return the unit vector of a question, None when the model does not give one."""
    try:
        (vector,) = check_vectors([embedder.embed_query(question)], embedder.spec, count=1)
    except (EmbeddingError, InvalidVectorError) as error:
        logger.warning("question not embedded: %s", type(error).__name__)
        return None
    return vector


def read_answer(*, response_id: UUID, reader_tags: frozenset[str], now: datetime) -> CachedAnswer:
    """Return a servable answer by its id. Raises UnknownResponseError, also for foreign ones."""
    response = (
        CachedResponse.objects.servable(now=now)
        .comparable()
        .within(reader_tags)
        .standing(reader_tags)
        .filter(pk=response_id)
        .with_passages()
        .with_recent_hits()
        .defer("vector")
        .first()
    )
    if response is None:
        raise UnknownResponseError
    return build_answer(response)


def build_answer(row: Any) -> CachedAnswer:
    """Return the answer of a row that was read `with_passages`."""
    return CachedAnswer(
        response_id=row.pk,
        question=row.question,
        answer=row.answer,
        model_name=row.model_name,
        answer_tokens=row.answer_tokens,
        evidence_tokens=row.evidence_tokens,
        hit_count=row.hit_count + getattr(row, "recent_hits", 0),
        created_at=row.created_at,
        expires_at=row.expires_at,
        citations=build_citations(row.passages),
    )


def find_semantic(
    *,
    question: str,
    scope: Scope,
    vector: Vector,
    now: datetime,
    similarity_threshold: float = 0.0,
) -> Lookup:
    """Return the nearest stored question that the guards let pass, or why there is none."""
    threshold = max(similarity_threshold, cache_settings().similarity_threshold)
    policy = match_policy(threshold=threshold)
    miss = Lookup(kind=HitKind.MISS, reason=MissReason.NO_MATCH, vector=vector)
    near = [
        each
        for each in find_nearest(scope=scope, vector=vector, now=now)
        if each.similarity > threshold
    ]
    names = _entities_by_name([question, *(each.question for each in near)]) if near else {}
    for neighbour in near:
        match = judge_match(
            question,
            neighbour.question,
            similarity=neighbour.similarity,
            policy=policy,
            names=names,
        )
        if not match.is_hit:
            _log_refusal(neighbour, match)
            if miss.reason is MissReason.NO_MATCH:
                miss = replace(
                    miss,
                    reason=MissReason.GUARD,
                    similarity=neighbour.similarity,
                    refused_by=match.refused_by,
                )
            continue
        row = (
            _within_scope(scope)
            .standing(scope.filters.access_tags)
            .filter(pk=neighbour.response_id)
            .with_passages()
            .defer("vector")
            .first()
        )
        if row is not None:
            return _hit(HitKind.SEMANTIC, row, similarity=neighbour.similarity, now=now)
        miss = replace(miss, reason=MissReason.EVIDENCE_CHANGED)
    return miss


def _entities_by_name(questions: Iterable[str]) -> dict[str, tuple[UUID, ...]]:
    return find_entity_ids({name for question in questions for name in possible_names(question)})


def _log_refusal(neighbour: Neighbour, match: Match) -> None:
    refused_by = ",".join(match.refused_by)
    logger.info("guards %s refused response %s", refused_by, neighbour.response_id)
    if match.fault:
        logger.warning("not verified, so not served: %s", match.fault)


def find_nearest(*, scope: Scope, vector: Vector, now: datetime) -> list[Neighbour]:
    """Return the stored questions of a scope that are nearest to a vector.

    By the vector index; where the scope holds few answers, each is compared: the index would pass
    by those of all other scopes on the way to them.
    """
    text = nearest_statement(scope, dimensions=len(vector))
    parameters: dict[str, Any] = {
        "vector": f"[{','.join(map(str, vector.tolist()))}]",
        "scope_fingerprint": scope_fingerprint(scope),
        "now": now,
        "count": cache_settings().candidate_count,
    }
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement("vector_session"), {"ef_search": str(NEIGHBOURS_SEARCHED)})
        cursor.execute(text, parameters)
        return [
            Neighbour(response_id=response_id, question=question, similarity=similarity)
            for response_id, question, similarity in cursor.fetchall()
        ]


def nearest_statement(scope: Scope, *, dimensions: int) -> str:
    """Return the statement that finds what is nearest in a scope of that size."""
    fingerprint = scope_fingerprint(scope)
    live = CachedResponse.objects.filter(scope_fingerprint=fingerprint, invalidated_at__isnull=True)
    return statement_on_space(
        "nearest",
        scope.space_id,
        dimensions=dimensions,
        vector="%(vector)s::vector",
        is_exact=live[: ALL_COMPARED + 1].count() <= ALL_COMPARED,
    )


def _within_scope(scope: Scope) -> Any:
    return CachedResponse.objects.live().filter(
        scope_fingerprint=scope_fingerprint(scope), space_id=scope.space_id
    )


def _is_standing(scope: Scope) -> Any:
    fallen = fallen_citations(scope.filters.access_tags).filter(response=OuterRef("pk"))
    return ExpressionWrapper(~Exists(fallen), output_field=BooleanField())


def _hit(kind: HitKind, row: Any, *, similarity: float, now: datetime) -> Lookup:
    return Lookup(
        kind=kind,
        answer=build_answer(row),
        similarity=similarity,
        age_seconds=max(0.0, (now - row.created_at).total_seconds()),
    )


def _miss_outcome(lookup: Lookup) -> str:
    if lookup.refused_by:
        return f"guard_{lookup.refused_by[0]}"
    return str(lookup.reason)
