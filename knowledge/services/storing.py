"""Writes one prepared document in one transaction: readers see the old version or the new one."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from knowledge.ingestion.pipeline import MAX_AUTHOR_LENGTH, metadata_text
from knowledge.ingestion.types import ParsedDocument
from knowledge.models import Document, DocumentBody, DocumentStatus, Source
from knowledge.services.changes import announce_chunks
from knowledge.services.likeness import keep_sketch
from knowledge.services.locking import lock_identities
from knowledge.services.passages import SwapResult, swap_passages
from knowledge.services.preparation import PreparedDocument
from knowledge.services.succession import keep_validity, succeed
from knowledge.services.types import Outcome, StoreOutcome
from knowledge.services.vectors import PassageVectors
from knowledge.signals import ChangeReason

NO_TEXT = "The document has no text."
# Among the further facts of a document: under which names its entities were found in its text.
RECOGNISED = "recognised_entities"


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteContext:
    """What all documents of a batch have in common."""

    source_id: int
    now: datetime
    parent_id: int | None = None
    run_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What of a document, beside its text, cached answers depend on."""

    trust: float | None
    access_tags: tuple[str, ...]
    valid_from: datetime | None
    valid_until: datetime | None
    published_at: datetime | None
    entity_ids: frozenset[UUID]


@transaction.atomic
def write_document(
    prepared: PreparedDocument, context: WriteContext, vectors: PassageVectors
) -> StoreOutcome:
    """Store the document with its chunks and vectors, whole.

    Raises StaleVectorsError when another process changed it, or the model, since it was prepared.
    """
    names = {prepared.external_id, prepared.parsed.supersedes} - {""}
    source = lock_identities(context.source_id, names)
    document: Document | None = (
        Document.objects.select_for_update()
        .filter(source=context.source_id, external_id=prepared.external_id)
        .first()
    )
    is_new = document is None or _is_only_claimed(document)
    if document is None:
        document = Document(source_id=context.source_id, external_id=prepared.external_id)
    before = None if is_new else _standing(document)
    has_old_hash = document.content_hash != prepared.content_hash
    was_settled = document.status == DocumentStatus.READY
    warnings = _assign(document, prepared, source, context)
    document.save()
    DocumentBody.objects.bulk_create(
        [DocumentBody(document=document, text=prepared.parsed.text)],
        update_conflicts=True,
        unique_fields=["document"],
        update_fields=["text"],
    )
    keep_sketch(document, prepared.parsed.text)
    if not document.has_own_entities:
        _link_entities(document, prepared.entity_ids, is_new=is_new)
    result = swap_passages(document, prepared.passages, vectors=vectors, known=not is_new)
    if before is not None:
        _announce_standing(document, before, result)
    if prepared.parsed.supersedes:
        succeed(document, external_id=prepared.parsed.supersedes, now=context.now)
    changed = has_old_hash or not was_settled or result.embedded_count or result.removed
    return StoreOutcome(
        external_id=document.external_id,
        document_id=document.pk,
        outcome=_outcome(is_new=is_new, is_changed=bool(changed)),
        status=document.status,
        reason=document.status_reason,
        chunk_count=document.chunk_count,
        embedded_count=result.embedded_count,
        warnings=warnings,
    )


def _is_only_claimed(document: Document) -> bool:
    """Tell whether nothing but the name of the document was stored yet."""
    return document.status == DocumentStatus.INDEXING and document.indexed_at is None


def _outcome(*, is_new: bool, is_changed: bool) -> Outcome:
    if is_new:
        return Outcome.ADDED
    return Outcome.UPDATED if is_changed else Outcome.UNCHANGED


def _assign(
    document: Document, prepared: PreparedDocument, source: Source, context: WriteContext
) -> tuple[str, ...]:
    parsed = prepared.parsed
    document.title = parsed.title
    document.url = parsed.url
    document.author = metadata_text(parsed.metadata, "author")[:MAX_AUTHOR_LENGTH]
    document.mime_type = parsed.mime_type
    document.source_type_id = prepared.source_type_id
    document.parent_id = context.parent_id or _parent_id(parsed, context)
    document.language = prepared.language
    document.published_at = parsed.published_at
    document.fetched_at = context.now
    document.valid_from = parsed.valid_from
    document.valid_until = keep_validity(document, parsed.valid_until)
    document.metadata = dict(parsed.metadata)
    if prepared.recognised and not document.has_own_entities:
        document.metadata[RECOGNISED] = "; ".join(prepared.recognised)
    document.content_hash = prepared.content_hash
    if parsed.trust is not None:
        document.trust = parsed.trust
    warnings = (*parsed.warnings, *_assign_readers(document, parsed, source))
    document.warnings = list(warnings)
    document.chunk_count = len(prepared.passages)
    document.attempts = 0
    document.claimed_hash = ""
    document.lease_until = None
    document.last_run_id = context.run_id
    document.indexed_at = context.now
    _settle(document, has_text=bool(prepared.passages))
    return warnings


def _parent_id(parsed: ParsedDocument, context: WriteContext) -> int | None:
    """Return the stored message that a document was attached to; it comes before it in a run."""
    if not parsed.parent:
        return None
    parents = Document.objects.filter(source=context.source_id, external_id=parsed.parent)
    found: int | None = parents.values_list("pk", flat=True).first()
    return found


def _assign_readers(document: Document, parsed: ParsedDocument, source: Source) -> tuple[str, ...]:
    """Set who may read it: a restriction never goes because a new version does not repeat it."""
    if parsed.access_tags:
        document.access_tags = sorted(set(parsed.access_tags))
        document.has_own_access_tags = True
    elif document.has_own_access_tags:
        tags = ", ".join(document.access_tags)
        return (f"No access tags given; the document keeps its own: {tags}.",)
    else:
        document.access_tags = source.access_tags
    return ()


def _settle(document: Document, *, has_text: bool) -> None:
    """Give the document its final state; what a curator retired stays retired."""
    if document.status == DocumentStatus.RETIRED:
        return
    document.status = DocumentStatus.READY if has_text else DocumentStatus.NEEDS_ATTENTION
    document.status_reason = "" if has_text else NO_TEXT


def _link_entities(document: Document, entity_ids: tuple[UUID, ...], *, is_new: bool) -> None:
    links = Document.entities.through.objects
    if not is_new:
        links.filter(document=document).exclude(entity_id__in=entity_ids).delete()
    links.bulk_create(
        [Document.entities.through(document=document, entity_id=each) for each in entity_ids],
        ignore_conflicts=True,
    )


def _standing(document: Document) -> Standing:
    return Standing(
        trust=document.trust,
        access_tags=tuple(document.access_tags),
        valid_from=document.valid_from,
        valid_until=document.valid_until,
        published_at=document.published_at,
        entity_ids=frozenset(document.entities.values_list("pk", flat=True)),
    )


def _found_by(standing: Standing) -> tuple[object, ...]:
    """Return what filters and freshness go by."""
    return (
        standing.valid_from,
        standing.valid_until,
        standing.published_at,
        standing.entity_ids,
    )


def _announce_standing(document: Document, before: Standing, result: SwapResult) -> None:
    after = _standing(document)
    reasons = []
    if after.trust != before.trust:
        reasons.append(ChangeReason.TRUST)
    if after.access_tags != before.access_tags:
        reasons.append(ChangeReason.ACCESS)
    if _found_by(after) != _found_by(before):
        reasons.append(ChangeReason.DESCRIBED)
    for reason in reasons:
        announce_chunks(reason, result.kept, document_id=document.pk, source_id=document.source_id)
