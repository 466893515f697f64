"""Locks that writes of one document take, in one order: source, document, row."""

from collections.abc import Iterable

from django.db import connection

from knowledge.exceptions import UnknownDocumentError, UnknownSourceError
from knowledge.ingestion import store
from knowledge.models import Document, Source


def share_source(source_id: int) -> Source:
    """Return the source as it is now, and keep others from changing it in this transaction."""
    rows = list(
        Source.objects.raw("SELECT * FROM knowledge_source WHERE id = %s FOR SHARE", [source_id])
    )
    if not rows:
        raise UnknownSourceError
    source: Source = rows[0]
    return source


def lock_identities(source_id: int, external_ids: Iterable[str]) -> Source:
    """Lock documents that may not exist yet; return their source."""
    source = share_source(source_id)
    store.lock_documents(source_id, external_ids)
    return source


def lock_document(document: Document) -> Document:
    """Lock a document and return it as it is now. Raises UnknownDocumentError if it has gone."""
    return lock_all([document])[0]


def lock_all(documents: Iterable[Document]) -> list[Document]:
    """Lock documents in one order for all callers; return them in the order given."""
    wanted = list(documents)
    for source_id in sorted({document.source_id for document in wanted}):
        share_source(source_id)
    for source_id in sorted({document.source_id for document in wanted}):
        store.lock_documents(
            source_id, [each.external_id for each in wanted if each.source_id == source_id]
        )
    rows = Document.objects.select_for_update().order_by("pk")
    found = rows.in_bulk([document.pk for document in wanted])
    if len(found) < len({document.pk for document in wanted}):
        message = "The document was deleted meanwhile."
        raise UnknownDocumentError(message)
    return [found[document.pk] for document in wanted]


def try_lock(key: int) -> bool:
    """Take a lock to the end of the transaction, or return False if another holds it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [key])
        return bool(cursor.fetchone()[0])
