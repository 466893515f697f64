"""Values of the response cache."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from knowledge.embedding.base import Vector
from retrieval.types import Citation


class HitKind(StrEnum):
    """How a look-up ended."""

    EXACT = "exact"
    SEMANTIC = "semantic"
    MISS = "miss"


class CacheUse(StrEnum):
    """What a caller wants of the cache; `refresh` answers anew and stores."""

    USE = "use"
    REFRESH = "refresh"
    OFF = "off"


class MissReason(StrEnum):
    """Why a look-up found no answer."""

    BYPASSED = "bypassed"
    SWITCHED_OFF = "switched_off"
    NOT_EMBEDDED = "not_embedded"
    NEEDS_CONVERSATION = "needs_conversation"
    NO_MATCH = "no_match"
    EXPIRED = "expired"
    EVIDENCE_CHANGED = "evidence_changed"
    GUARD = "guard"


class Withheld(StrEnum):
    """Why a reply without an answer brings no store key."""

    NO_EVIDENCE = "no_evidence"
    NOT_CACHEABLE = "not_cacheable"
    BEING_ANSWERED = "being_answered"


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedPassage:
    """A chunk that an answer may cite as [number], as it was when it was offered."""

    number: int
    chunk_id: int
    content_hash: str
    document_id: int
    source_id: int
    trust: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedAnswer:
    """An answer that was given before, with the evidence it stands on.

    `evidence_tokens` are those of the context it was made from.
    """

    response_id: UUID
    question: str
    answer: str
    model_name: str
    answer_tokens: int
    evidence_tokens: int
    hit_count: int
    created_at: datetime
    expires_at: datetime
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """The outcome of a look-up.

    A miss has a reason; `refused_by` names the guards that turned down the nearest question, whose
    similarity is then given. `vector` is the question's, when it had to be embedded.
    """

    kind: HitKind
    reason: MissReason | None = None
    answer: CachedAnswer | None = None
    similarity: float | None = None
    age_seconds: float | None = None
    refused_by: tuple[str, ...] = ()
    vector: Vector | None = None
