"""What a curator may change on a document, each through its service."""

from collections.abc import Callable
from typing import Any

from django.utils import timezone

from knowledge.exceptions import InvalidDocumentError
from knowledge.models import Document
from knowledge.services import set_access_tags, set_document_trust, supersede_document


def _set_trust(document: Document, trust: float | None) -> None:
    set_document_trust(document=document, trust=trust)


def _set_tags(document: Document, tags: list[str]) -> None:
    set_access_tags(document=document, access_tags=tags)


def _set_predecessor(document: Document, predecessor: Document | None) -> None:
    if predecessor is None:
        message = "What replaced a document cannot be taken back here. Choose another document."
        raise InvalidDocumentError(message, field="supersedes")
    if predecessor.supersedes_id == document.pk:
        message = "That document already replaces this one: each would replace the other."
        raise InvalidDocumentError(message, field="supersedes")
    supersede_document(old=predecessor, new=document, now=timezone.now())


CHANGES: dict[str, Callable[[Document, Any], None]] = {
    "trust": _set_trust,
    "access_tags": _set_tags,
    "supersedes": _set_predecessor,
}
