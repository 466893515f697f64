"""The one event other apps hear: knowledge changed. Sent inside the transaction of the change."""

from dataclasses import dataclass
from enum import StrEnum

from django.dispatch import Signal


class ChangeReason(StrEnum):
    """What happened to the chunks of a change."""

    ADDED = "added"
    UPDATED = "updated"
    REMOVED = "removed"
    RETIRED = "retired"
    RESTORED = "restored"
    SUPERSEDED = "superseded"
    TRUST = "trust"
    ACCESS = "access"
    SWITCHED_OFF = "switched_off"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentChange:
    """Chunks that changed for one reason.

    With `source_id` and no `chunk_ids` every chunk of the source is meant: a change of trust or
    access does not list a million ids.
    """

    reason: ChangeReason
    chunk_ids: tuple[int, ...] = ()
    document_ids: tuple[int, ...] = ()
    source_id: int | None = None


content_changed = Signal()
"""Arguments: `sender` (the app's name, "knowledge"), `change: ContentChange`."""
