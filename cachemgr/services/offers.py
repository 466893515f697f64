"""Grants permission to store an answer to a question."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from django.db import transaction

from cachemgr.conf import cache_settings
from cachemgr.keys import Scope, question_key, scope_fingerprint
from cachemgr.models import StoreKey
from cachemgr.types import OfferedPassage
from knowledge.embedding.base import Vector


@transaction.atomic
def offer(
    *,
    question: str,
    scope: Scope,
    vector: Vector | None,
    evidence: Sequence[OfferedPassage],
    now: datetime,
    evidence_tokens: int = 0,
) -> UUID | None:
    """Return the key under which one answer to the question may be stored.

    Without evidence there is none: an answer must cite something.
    """
    key = uuid4()
    reserve_key(key, question=question, scope=scope, vector=vector, now=now)
    return key if grant_key(key, evidence, evidence_tokens=evidence_tokens) else None


def reserve_key(
    key: UUID, *, question: str, scope: Scope, vector: Vector | None, now: datetime
) -> None:
    """Note that evidence for a question is about to be searched.

    From now on the key keeps how near the passages come that this search may not see. Without a
    vector, which takes a model that answers in time, every such passage counts as near.
    """
    StoreKey.objects.create(
        key=key,
        question=question,
        question_key=question_key(question),
        scope_fingerprint=scope_fingerprint(scope),
        scope=scope.as_json(),
        space_id=scope.space_id,
        vector=vector,
        created_at=now,
        expires_at=now + timedelta(minutes=cache_settings().store_key_minutes),
    )


def grant_key(key: UUID, evidence: Sequence[OfferedPassage], *, evidence_tokens: int) -> bool:
    """Keep what was offered under a reserved key; False, and no key, without evidence."""
    if not evidence:
        drop_key(key)
        return False
    StoreKey.objects.filter(pk=key).update(
        evidence=[asdict(passage) for passage in evidence], evidence_tokens=evidence_tokens
    )
    return True


def drop_key(key: UUID) -> None:
    """Forget a reserved key."""
    StoreKey.objects.filter(pk=key).delete()
