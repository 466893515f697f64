"""Values that writes hand back."""

from dataclasses import dataclass
from enum import StrEnum

from crmind.exceptions import CRMindError
from knowledge.models import DocumentStatus


class Outcome(StrEnum):
    """What became of one document."""

    ADDED = "added"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreOutcome:
    """What became of one document, and why somebody has to look at it, if so.

    `document_id` is None only for a document that could not even be recorded. `code` is that of the
    error that kept it from being stored.
    """

    external_id: str
    document_id: int | None
    outcome: Outcome
    status: str
    reason: str = ""
    chunk_count: int = 0
    embedded_count: int = 0
    warnings: tuple[str, ...] = ()
    code: str = ""

    @property
    def needs_attention(self) -> bool:
        """Whether a curator has to look at the document."""
        return self.status in {DocumentStatus.NEEDS_ATTENTION, DocumentStatus.FAILED}


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreFailure:
    """A document that was not stored, and why; its earlier version, if any, is untouched."""

    external_id: str
    title: str
    error: CRMindError
