"""What a curator decides about a document and its source may not undo: validity and entities."""

from collections.abc import Collection, Iterable
from datetime import datetime

from django.db import transaction

from knowledge.exceptions import InvalidDocumentError
from knowledge.history import as_one_change
from knowledge.ingestion import store
from knowledge.models import Chunk, Document, Entity
from knowledge.services.changes import announce_chunks
from knowledge.services.documents import set_access_tags, supersede_document
from knowledge.services.locking import lock_all, lock_document
from knowledge.services.succession import give_back_end, unlink_successor
from knowledge.signals import ChangeReason


@transaction.atomic
def set_validity(
    *, document: Document, valid_until: datetime | None, is_own: bool = True
) -> Document:
    """Set until when a document holds; it stays so when a new version comes in.

    None, or without `is_own`, gives that back to its source. Raises InvalidDocumentError.
    """
    current = lock_document(document)
    if valid_until and current.valid_from and valid_until <= current.valid_from:
        message = f"It holds from {current.valid_from:%Y-%m-%d} on: name a later end."
        raise InvalidDocumentError(message, field="valid_until")
    has_changed = current.valid_until != valid_until
    current.valid_until = valid_until
    current.has_own_validity = is_own and valid_until is not None
    current.save(update_fields=["valid_until", "has_own_validity", "updated_at"])
    if has_changed:
        _refresh(current)
    return current


@transaction.atomic
def set_entities(
    *, document: Document, entities: Iterable[Entity], is_own: bool = True
) -> Document:
    """Say what a document is about; it stays so when a new version comes in.

    Without `is_own` a new version says it again.
    """
    current = lock_document(document)
    wanted = list(entities)
    before = set(current.entities.values_list("pk", flat=True))
    has_changed = before != {entity.pk for entity in wanted}
    with as_one_change(current):
        current.entities.set(wanted)
        current.has_own_entities = is_own
        current.save(update_fields=["has_own_entities", "updated_at"])
    if has_changed:
        _refresh(current)
    return current


@transaction.atomic
def edit_document(
    *,
    document: Document,
    added: Collection[Entity] = (),
    removed: Collection[Entity] = (),
    access_tags: Collection[str] = (),
) -> Document:
    """Add and take away entities, and set readers if any are given; the rest stays as it is."""
    if added or removed:
        gone = {entity.pk for entity in removed}
        kept = [entity for entity in document.entities.all() if entity.pk not in gone]
        set_entities(document=document, entities=[*kept, *added])
    if access_tags:
        set_access_tags(document=document, access_tags=access_tags)
    return document


@transaction.atomic
def set_predecessor(*, document: Document, predecessor: Document | None, now: datetime) -> Document:
    """Say which older document this one replaces, or none. Raises InvalidDocumentError."""
    if predecessor is None:
        return release_successor(document=document)
    former = document.supersedes
    if former is not None and former.pk != predecessor.pk:
        new, old, _ = lock_all([document, former, predecessor])
        give_back_end(old=old, new=new)
    return supersede_document(old=predecessor, new=document, now=now)


@transaction.atomic
def release_successor(*, document: Document) -> Document:
    """Take back that `document` replaces another; that one holds again as before."""
    if document.supersedes is None:
        return document
    new, old = lock_all([document, document.supersedes])
    unlink_successor(old=old, new=new)
    return new


def _refresh(document: Document) -> None:
    store.refresh_filters(document_ids=[document.pk])
    chunk_ids = Chunk.objects.filter(document=document).values_list("pk", flat=True)
    announce_chunks(
        ChangeReason.DESCRIBED, chunk_ids, document_id=document.pk, source_id=document.source_id
    )
