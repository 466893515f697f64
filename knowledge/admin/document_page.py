"""What the page of a document shows besides its form."""

from collections.abc import Iterator
from typing import Any

from django.db.models.functions import Left, Length
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html

from knowledge.embedding.languages import is_foreign
from knowledge.models import Chunk, Document, DocumentBody, DocumentStatus
from knowledge.services.spaces import find_active_space

SHOWN_CHARACTERS = 20_000
SHOWN_CHUNKS = 50

ADVICE = {
    DocumentStatus.PENDING: (
        "It waits for the queue worker. If it keeps waiting, ask an operator whether the worker"
        " runs."
    ),
    DocumentStatus.INDEXING: (
        "It is being read now. An earlier version, if there is one, keeps answering meanwhile."
    ),
    DocumentStatus.READY: "Its passages are searched.",
    DocumentStatus.NEEDS_ATTENTION: (
        "Put right at its origin what the reason names, then press “Reindex”. An earlier version,"
        " if there is one, keeps answering."
    ),
    DocumentStatus.FAILED: (
        "Put right at its origin what the reason names, then press “Reindex”. If it fails again,"
        " tell an operator the reason."
    ),
    DocumentStatus.RETIRED: "It is not searched. “Restore” brings it back.",
}

BADGES = {
    DocumentStatus.PENDING: "info",
    DocumentStatus.INDEXING: "info",
    DocumentStatus.READY: "success",
    DocumentStatus.NEEDS_ATTENTION: "warning",
    DocumentStatus.FAILED: "danger",
    DocumentStatus.RETIRED: "default",
}


def describe_document(document: Document) -> dict[str, Any]:
    """Return the state, the start of the text and the first chunks of a document."""
    body = (
        DocumentBody.objects.filter(document=document)
        .annotate(beginning=Left("text", SHOWN_CHARACTERS), characters=Length("text"))
        .values("beginning", "characters")
        .first()
    ) or {"beginning": "", "characters": 0}
    chunks = (
        Chunk.objects.filter(document=document)
        .annotate(beginning=Left("text", 160))
        .order_by("position")
        .values("pk", "position", "heading_path", "token_count", "is_switched_off", "beginning")[
            :SHOWN_CHUNKS
        ]
    )
    chunk_list = reverse("admin:knowledge_chunk_changelist")
    return {
        "status": document.get_status_display(),
        "badge": BADGES[DocumentStatus(document.status)],
        "reason": document.status_reason,
        "advice": ADVICE[DocumentStatus(document.status)],
        "warnings": [
            *document.warnings,
            *_warn_of_date(document),
            *_warn_of_language(document, body["beginning"]),
        ],
        "text": body["beginning"],
        "characters": body["characters"],
        "is_cut": body["characters"] > SHOWN_CHARACTERS,
        "shown_characters": SHOWN_CHARACTERS,
        "chunks": list(chunks),
        "chunk_count": document.chunk_count,
        "all_chunks": f"{chunk_list}?document__id__exact={document.pk}",
        "attachments": list(document.attachments.values("pk", "title", "external_id")[:20]),
        "successors": list(document.superseded_by.values("pk", "title", "external_id")[:20]),
    }


def _warn_of_date(document: Document) -> Iterator[str]:
    """Yield a warning about a date that is still ahead; not stored, because it will be true."""
    if document.published_at is not None and document.published_at > timezone.now():
        day = date_format(timezone.localtime(document.published_at), "j M Y")
        yield f"Published {day}, which is in the future: for freshness it is as new as today."


def _warn_of_language(document: Document, text: str) -> Iterator[str]:
    space = find_active_space()
    if space is not None and is_foreign(text, language=document.language, model=space.model):
        yield (
            f"The embedding model {space.model} knows English only: this document is found by its"
            " words, hardly by its meaning."
        )


def link_to_page(url: str) -> str:
    """Return a link to `url`, or its text when its scheme could run something."""
    if not url.startswith(("http://", "https://")):
        return url
    return format_html(
        '<a href="{}" class="text-link" rel="noopener noreferrer" target="_blank">{}</a>', url, url
    )
