"""What other apps hear of: changed knowledge, and the exchange of the embedding model."""

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
    DESCRIBED = "described"
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


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceComparison:
    """How well two spaces answer the same judged questions."""

    question_count: int
    old_ndcg: float
    new_ndcg: float
    better: int = 0
    worse: int = 0


answers_counted = Signal()
"""Asks how many answers cite `source_ids`; each receiver returns a number."""

answers_unwanted = Signal()
"""Says that answers that cite `source_ids` shall not be served again; receivers return how many."""

content_changed = Signal()
"""Arguments: `sender` (the app's name, "knowledge"), `change: ContentChange`."""

space_switched = Signal()
"""Another embedding model answers from now on, sent inside the transaction of the switch.

Arguments: `sender`, `left_id` and `entered_id`, the ids of the embedding spaces.
"""

spaces_compared = Signal()
"""Asks how well two embedding spaces answer, before a switch.

Arguments: `sender`, `old_id`, `new_id` and `now`. Receivers return a `SpaceComparison` or None.
"""
