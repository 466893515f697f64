"""Tells the other apps what changed, inside the transaction of the change."""

from collections.abc import Iterable

from knowledge.signals import ChangeReason, ContentChange, content_changed

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
