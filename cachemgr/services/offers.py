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
    vector: Vector,
    evidence: Sequence[OfferedPassage],
    now: datetime,
    key: UUID | None = None,
) -> UUID | None:
    """Return the key under which one answer to the question may be stored: `key`, or a new one.

    Without evidence there is none: an answer must cite something.
    """
    if not evidence:
        return None
    granted = StoreKey.objects.create(
        key=key or uuid4(),
        question=question,
        question_key=question_key(question),
        scope_fingerprint=scope_fingerprint(scope),
        scope=scope.as_json(),
        space_id=scope.space_id,
        vector=vector,
        evidence=[asdict(passage) for passage in evidence],
        created_at=now,
        expires_at=now + timedelta(minutes=cache_settings().store_key_minutes),
    )
    return granted.key
