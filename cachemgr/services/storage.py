"""Stores an answer with the evidence it cites, or says why not."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Max
from django.db.models.functions import Coalesce, Least
from pgvector.django import CosineDistance

from cachemgr.answers import find_fault, marked_numbers
from cachemgr.conf import cache_settings
from cachemgr.exceptions import (
    AnswerRefusedError,
    StaleEvidenceError,
    UnknownCitationError,
    UnknownStoreKeyError,
    UsedStoreKeyError,
)
from cachemgr.models import CachedCitation, CachedResponse, InvalidationReason, StoreKey
from cachemgr.services.counting import REFUSED, count_outcome
from cachemgr.services.leasing import release_lease
from cachemgr.types import OfferedPassage
from knowledge.embedding.registry import get_tokenizer
from knowledge.exceptions import SpaceMismatchError
from knowledge.models import Chunk, ChunkEmbedding, SpaceStatus


def store_answer(
    *,
    key: UUID,
    answer: str,
    reader_tags: frozenset[str],
    now: datetime,
    citations: Sequence[int] | None = None,
    model_name: str = "",
) -> CachedResponse:
    """Store the answer to the question that `key` was granted for; a key serves once.

    Cited are the numbers in `citations` and the marks [n] in the answer. A mark that was not
    offered is refused, unless `citations` is given: then it is taken for text. Raises
    UnknownStoreKeyError, UsedStoreKeyError, AnswerRefusedError, UnknownCitationError or
    StaleEvidenceError; after one of the last three others who ask the question may answer it.
    """
    try:
        return _store(key, answer, reader_tags, now, citations, model_name)
    except (AnswerRefusedError, UnknownCitationError, StaleEvidenceError) as error:
        release_lease(key)
        count_outcome(f"{REFUSED}{error.code}", now=now)
        raise


@transaction.atomic
def _store(
    key: UUID,
    answer: str,
    reader_tags: frozenset[str],
    now: datetime,
    citations: Sequence[int] | None,
    model_name: str,
) -> CachedResponse:
    granted = _claim(key, reader_tags, now)
    _check_answer(answer, model_name, granted.scope)
    offered = [OfferedPassage(**passage) for passage in granted.evidence]
    cited = _cited(answer, citations, offered)
    expires_at = _check_evidence(cited, granted.scope, now)
    if granted.vector is None:
        # Its evidence was found by words alone.
        expires_at = min(
            expires_at, now + timedelta(minutes=cache_settings().unembedded_ttl_minutes)
        )
    evidence_similarity = _check_newcomers(granted, cited)
    _replace_previous(granted, now)
    response = CachedResponse.objects.create(
        question=granted.question,
        question_key=granted.question_key,
        scope_fingerprint=granted.scope_fingerprint,
        scope=granted.scope,
        space_id=granted.space_id,
        vector=granted.vector,
        answer=answer,
        model_name=model_name or granted.scope["chat_model"],
        answer_tokens=get_tokenizer().count(answer),
        evidence_tokens=granted.evidence_tokens,
        evidence_similarity=evidence_similarity,
        created_at=now,
        expires_at=expires_at,
    )
    CachedCitation.objects.bulk_create(_rows(response, cited))
    granted.used_at = now
    granted.save(update_fields=["used_at"])
    release_lease(key)
    return response


def _claim(key: UUID, reader_tags: frozenset[str], now: datetime) -> Any:
    """Return the store key, locked with every other key to the same question in the same scope.

    So two answers to one question are stored one after the other, whatever keys they come with.
    """
    found = StoreKey.objects.filter(pk=key).first()
    if found is None or not reader_tags.issuperset(found.scope["access_tags"]):
        raise UnknownStoreKeyError(field="store_key")
    locked = (
        StoreKey.objects.select_for_update(of=("self",))
        .select_related("space")
        .filter(scope_fingerprint=found.scope_fingerprint, question_key=found.question_key)
    )
    granted = {row.pk: row for row in locked.order_by("pk")}.get(key)
    if granted is None or granted.expires_at <= now:
        raise UnknownStoreKeyError(field="store_key")
    if granted.used_at is not None:
        raise UsedStoreKeyError(field="store_key")
    if granted.space.status != SpaceStatus.ACTIVE:
        message = "The embedding model was exchanged since the question was asked. Ask again."
        raise SpaceMismatchError(message, field="store_key")
    return granted


def _check_answer(answer: str, model_name: str, scope: dict[str, Any]) -> None:
    fault = find_fault(answer, max_bytes=cache_settings().max_answer_bytes)
    if fault:
        raise AnswerRefusedError(fault, field="answer")
    expected = scope["chat_model"]
    if model_name and expected and model_name != expected:
        message = f"The question was asked for the model {expected!r}; this is {model_name!r}."
        raise AnswerRefusedError(message, field="model_name")


def _cited(
    answer: str, citations: Sequence[int] | None, offered: Sequence[OfferedPassage]
) -> list[OfferedPassage]:
    known = {passage.number for passage in offered}
    marked = set(marked_numbers(answer))
    numbers = marked if citations is None else set(citations) | (marked & known)
    unknown = sorted(numbers - known)
    if unknown:
        message = f"[{unknown[0]}] was not offered. Cite numbers from {_listed(known)}."
        raise UnknownCitationError(message, field="citations")
    if not numbers:
        message = f"The answer cites nothing. Cite the evidence it uses: {_listed(known)}."
        raise AnswerRefusedError(message, field="citations")
    return [passage for passage in offered if passage.number in numbers]


def _check_evidence(
    cited: Sequence[OfferedPassage], scope: dict[str, Any], now: datetime
) -> datetime:
    """Return when an answer that cites these passages expires, all of them being as offered."""
    current = _read_chunks([passage.chunk_id for passage in cited], scope)
    for passage in cited:
        chunk = current.get(passage.chunk_id)
        if chunk is None or _has_changed(chunk, passage) or _has_ended(chunk, scope, now):
            message = f"[{passage.number}] has changed since it was offered. Ask again."
            raise StaleEvidenceError(message, field="citations")
    ttl_days: float = min(chunk.ttl_days for chunk in current.values())
    ends = [chunk.valid_until for chunk in current.values() if chunk.valid_until]
    expires_at: datetime = min(
        [now + timedelta(days=ttl_days), *(end for end in ends if end > now)]
    )
    return expires_at


def _check_newcomers(granted: Any, cited: Sequence[OfferedPassage]) -> float:
    """Return the similarity of the weakest cited passage.

    Raises StaleEvidenceError when a passage that came since is nearly as similar.
    """
    weakest = -1.0 if granted.vector is None else _weakest_similarity(granted, cited)
    newcomer = granted.newcomer_similarity
    if newcomer is not None and newcomer >= cache_settings().new_evidence_share * weakest:
        message = "A document that came since it was offered may answer better. Ask again."
        raise StaleEvidenceError(message, field="store_key")
    return weakest


def _weakest_similarity(granted: Any, cited: Sequence[OfferedPassage]) -> float:
    vectors = ChunkEmbedding.objects.filter(
        space_id=granted.space_id, chunk_id__in=[passage.chunk_id for passage in cited]
    )
    distance = vectors.aggregate(most=Max(CosineDistance("vector", granted.vector)))["most"]
    return -1.0 if distance is None else 1.0 - float(distance)


def _read_chunks(chunk_ids: Sequence[int], scope: dict[str, Any]) -> dict[int, Any]:
    readable = Chunk.objects.searchable().filter(access_tags__overlap=scope["access_tags"])
    annotated = readable.annotate(
        trust_in_force=Least("source__trust", "document__trust"),
        ttl_days=Coalesce("source_type__cache_ttl_days", cache_settings().ttl_days),
    )
    return {chunk.pk: chunk for chunk in annotated.filter(pk__in=chunk_ids)}


def _has_changed(chunk: Any, passage: OfferedPassage) -> bool:
    is_same = chunk.content_hash == passage.content_hash and chunk.trust_in_force == passage.trust
    return not is_same


def _has_ended(chunk: Any, scope: dict[str, Any], now: datetime) -> bool:
    """Tell whether a passage no longer holds; asked about the past, it may."""
    ended = chunk.valid_until is not None and chunk.valid_until <= now
    return ended and scope["known_by"] is None


def _replace_previous(granted: Any, now: datetime) -> None:
    CachedResponse.objects.live().filter(
        scope_fingerprint=granted.scope_fingerprint, question_key=granted.question_key
    ).update(invalidated_at=now, invalidation_reason=InvalidationReason.REPLACED)


def _rows(response: CachedResponse, cited: Sequence[OfferedPassage]) -> list[CachedCitation]:
    return [
        CachedCitation(
            response=response,
            number=passage.number,
            chunk_id=passage.chunk_id,
            document_id=passage.document_id,
            source_id=passage.source_id,
            content_hash=passage.content_hash,
            trust=passage.trust,
        )
        for passage in cited
    ]


def _listed(numbers: set[int]) -> str:
    return ", ".join(f"[{number}]" for number in sorted(numbers))
