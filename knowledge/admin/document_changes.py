"""What a curator may change on a document, each through its service."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from django.utils import timezone

from crmind.exceptions import CRMindError
from knowledge.exceptions import InvalidDocumentError
from knowledge.models import Document, Entity
from knowledge.services import set_access_tags, set_document_trust, supersede_document
from knowledge.services.decisions import (
    release_successor,
    set_entities,
    set_predecessor,
    set_validity,
)


def _set_trust(document: Document, trust: float | None) -> None:
    set_document_trust(document=document, trust=trust)


def _set_tags(document: Document, tags: list[str]) -> None:
    set_access_tags(document=document, access_tags=tags)


def _set_validity(document: Document, valid_until: datetime | None) -> None:
    set_validity(document=document, valid_until=valid_until)


def _set_entities(document: Document, entities: Iterable[Entity]) -> None:
    set_entities(document=document, entities=entities)


def _set_predecessor(document: Document, predecessor: Document | None) -> None:
    set_predecessor(document=document, predecessor=predecessor, now=timezone.now())


def _set_successor(document: Document, successor: Document | None) -> None:
    if successor is not None and successor.supersedes_id not in {None, document.pk}:
        message = f"“{successor}” already replaces “{successor.supersedes}”: take that back there."
        raise InvalidDocumentError(message, field="replaced_by")
    for former in document.superseded_by.all():
        release_successor(document=former)
    if successor is None:
        return
    try:
        supersede_document(old=document, new=successor, now=timezone.now())
    except CRMindError as error:
        raise InvalidDocumentError(error.message, field="replaced_by") from error


# In this order: an end of validity that is given wins over the one that a successor sets.
CHANGES: dict[str, Callable[[Document, Any], None]] = {
    "trust": _set_trust,
    "access_tags": _set_tags,
    "entities": _set_entities,
    "supersedes": _set_predecessor,
    "replaced_by": _set_successor,
    "valid_until": _set_validity,
}
