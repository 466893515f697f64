"""Tells the other apps what changed, inside the transaction of the change."""

from collections.abc import Iterable
from typing import Any

from django.db import transaction

from knowledge.signals import (
    ChangeReason,
    ContentChange,
    answers_counted,
    answers_unwanted,
    content_changed,
)

SENDER = "knowledge"


def announce_chunks(
    reason: ChangeReason, chunk_ids: Iterable[int], *, document_id: int, source_id: int
) -> None:
    """Send a change of some chunks of one document; without chunks nothing changed."""
    ids = tuple(chunk_ids)
    if ids:
        change = ContentChange(
            reason=reason, chunk_ids=ids, document_ids=(document_id,), source_id=source_id
        )
        content_changed.send(sender=SENDER, change=change)


def announce_source(reason: ChangeReason, *, source_id: int) -> None:
    """Send a change of every chunk of a source."""
    content_changed.send(sender=SENDER, change=ContentChange(reason=reason, source_id=source_id))


def count_citing_answers(source_ids: Iterable[int]) -> int:
    """Return how many answers that are still served cite one of the sources."""
    asked = tuple(source_ids)
    answers: Any = answers_counted.send(sender=SENDER, source_ids=asked)
    return sum(count for _, count in answers)


@transaction.atomic
def forget_citing_answers(source_ids: Iterable[int]) -> int:
    """Have the answers that cite one of the sources never served again; return how many."""
    unwanted = tuple(source_ids)
    answers: Any = answers_unwanted.send(sender=SENDER, source_ids=unwanted)
    return sum(count for _, count in answers)
