"""What the page of a document shows besides its form."""

from collections.abc import Iterator
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html

from knowledge.admin.document_text import SHOWN_CHARACTERS, read_text
from knowledge.admin.readers import only_readable
from knowledge.embedding.languages import is_foreign
from knowledge.models import Chunk, Document, DocumentStatus
from knowledge.services.likeness import find_alike
from knowledge.services.retrying import Way, way_back
from knowledge.services.spaces import find_active_space
from knowledge.services.uploads import UPLOADABLE

ADVICE = {
    DocumentStatus.PENDING: (
        "It waits for the queue worker. If it keeps waiting, ask an operator whether the worker"
        " runs."
    ),
    DocumentStatus.INDEXING: (
        "It is being read now. An earlier version, if there is one, keeps answering meanwhile."
    ),
    DocumentStatus.READY: "Its passages are searched.",
    DocumentStatus.RETIRED: "It is not searched. “Restore” brings it back.",
}

TROUBLED = frozenset({DocumentStatus.NEEDS_ATTENTION, DocumentStatus.FAILED})
SOURCE_RETIRED = "Its source is retired, so nothing of it is searched. Bring the source back first."
ALL_SWITCHED_OFF = "Each of its passages was switched off, so nothing of it is searched."
RETRIED = (
    "Press “Try again”: its passages are made anew from the text that was kept. If it fails again,"
    " tell an operator the reason."
)
READ_AGAIN = (
    "Put right at its origin what the reason names, then press “Try again”: it is read there once"
    " more."
)
UPLOADED_AGAIN = (
    "Put right what the reason names and upload the file again under the same name; “Try again”"
    " reads the one that was kept."
)
SENT_AGAIN = (
    "Put right what the reason names and send it once more, as it was sent before: the text of this"
    " version is not kept."
)
STILL_ANSWERS = "Its earlier version keeps answering."

BADGES = {
    DocumentStatus.PENDING: "info",
    DocumentStatus.INDEXING: "info",
    DocumentStatus.READY: "success",
    DocumentStatus.NEEDS_ATTENTION: "warning",
    DocumentStatus.FAILED: "danger",
    DocumentStatus.RETIRED: "default",
}


def describe_document(document: Any, *, user: Any, text_page: int = 1) -> dict[str, Any]:
    """Return the state of a document with readable relations, what to do about it, its text."""
    attachments = only_readable(document.attachments.all(), user)
    text = read_text(document, page=text_page)
    beginning = "".join(part.text for part in text.parts)[:SHOWN_CHARACTERS]
    return {
        "status": document.get_status_display(),
        "badge": BADGES[DocumentStatus(document.status)],
        "reason": document.status_reason,
        "advice": _advise(document, has_text=bool(text.characters)),
        "warnings": [
            *document.warnings,
            *_warn_of_date(document),
            *_warn_of_end(document),
            *_warn_of_language(document, beginning),
        ],
        "text": text,
        "shown_characters": SHOWN_CHARACTERS,
        "chunk_count": document.chunk_count,
        "alike": find_alike(document),
        "attachments": list(attachments.values("pk", "title", "external_id")[:20]),
        "successors": list(document.successors.values("pk", "title", "external_id")[:20]),
        "answers": f"{reverse('admin:cachemgr_cachedresponse_changelist')}?document={document.pk}",
        "forget": (
            f"{reverse('admin:cachemgr_cachedresponse_forget_citing')}?document={document.pk}"
        ),
    }


def with_readable_relations(document: Any, user: Any) -> Any:
    """Return the document so that it names only others that `user` may read; not to be saved."""
    document.successors = only_readable(document.superseded_by.all(), user)
    former = Document.objects.filter(pk=document.supersedes_id)
    if document.supersedes_id and not only_readable(former, user).exists():
        document.supersedes = None
    return document


def _advise(document: Document, *, has_text: bool) -> str:
    status = DocumentStatus(document.status)
    if status in TROUBLED:
        advice = _advise_on_trouble(document, has_text=has_text)
        return f"{advice} {STILL_ANSWERS}" if _is_searched(document) else advice
    if status == DocumentStatus.READY and not _is_searched(document):
        return ALL_SWITCHED_OFF if document.source.enabled else SOURCE_RETIRED
    return ADVICE[status]


def _advise_on_trouble(document: Document, *, has_text: bool) -> str:
    match way_back(document, has_body=has_text):
        case Way.ITS_TEXT:
            return RETRIED
        case Way.NONE:
            return SENT_AGAIN
    is_by_hand = document.source.connector in UPLOADABLE
    return UPLOADED_AGAIN if is_by_hand else READ_AGAIN


def _is_searched(document: Document) -> bool:
    return bool(Chunk.objects.searchable().filter(document=document).exists())


def _warn_of_end(document: Document) -> Iterator[str]:
    """Yield a warning about a document that no longer holds; not stored, as above."""
    if document.valid_until is not None and document.valid_until <= timezone.now():
        day = date_format(timezone.localtime(document.valid_until), "j M Y")
        yield f"Valid until {day}, which has passed: it counts as outdated and stands lower."


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
