"""Takes parsed documents in: prepared, embedded and written batch by batch."""

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from crmind.exceptions import CRMindError
from knowledge.conf import knowledge_settings
from knowledge.embedding.base import Embedder, EmbeddingSpec, Tokenizer
from knowledge.exceptions import InvalidDocumentError
from knowledge.ingestion import store
from knowledge.ingestion.chunking import ChunkingSettings
from knowledge.ingestion.pipeline import split_document
from knowledge.ingestion.types import ParsedDocument
from knowledge.models import DocumentStatus, Source
from knowledge.services.batches import Work, index_batch
from knowledge.services.preparation import PreparedDocument, prepare_documents
from knowledge.services.spaces import find_active_space
from knowledge.services.storing import NO_TEXT, WriteContext, write_document
from knowledge.services.terms import note_chunk_changes
from knowledge.services.types import Outcome, StoreFailure, StoreOutcome
from knowledge.services.vectors import writing_spaces

logger = logging.getLogger(__name__)

# A document to be written, one that is stored already, or one that is unfit.
Prepared = PreparedDocument | StoreOutcome | StoreFailure


@dataclass(frozen=True, slots=True, kw_only=True)
class Intake:
    """The means with which documents of one source are taken in."""

    source: Source
    embedder: Embedder
    tokenizer: Tokenizer
    now: datetime

    def store_batch(
        self, batch: Sequence[ParsedDocument], *, parent_id: int | None = None
    ) -> list[StoreOutcome | StoreFailure]:
        """Store documents of different external ids; return what became of each, in order."""
        spaces = writing_spaces(self.embedder)
        context = WriteContext(source_id=self.source.pk, now=self.now, parent_id=parent_id)
        prepared = self._prepare(batch, space_id=spaces.active.space_id)
        to_write = [each for each in prepared if isinstance(each, PreparedDocument)]
        works = [_work(each, context) for each in to_write]
        written = list(index_batch(works, spaces=spaces))
        _note_changes(to_write, written)
        in_order = iter(written)
        return [next(in_order) if isinstance(each, PreparedDocument) else each for each in prepared]

    def preview_batch(self, batch: Sequence[ParsedDocument]) -> list[StoreOutcome | StoreFailure]:
        """Return what storing the documents would do, without storing or embedding anything."""
        space = find_active_space()
        prepared = self._prepare(batch, space_id=space.pk if space else None)
        return [_preview(each) if isinstance(each, PreparedDocument) else each for each in prepared]

    def _prepare(self, batch: Sequence[ParsedDocument], *, space_id: int | None) -> list[Prepared]:
        prepared = list(prepare_documents(self.source, batch))
        settled = [
            each.stored.document_id
            for each in prepared
            if isinstance(each, PreparedDocument) and each.is_settled and each.stored
        ]
        unembedded = store.find_unembedded(settled, space_id=space_id)
        return [
            self._split(each, unembedded) if isinstance(each, PreparedDocument) else each
            for each in prepared
        ]

    def _split(self, prepared: PreparedDocument, unembedded: frozenset[int]) -> Prepared:
        if prepared.is_settled and prepared.document_id not in unembedded:
            return _unchanged(prepared)
        try:
            passages = split_document(
                text=prepared.parsed.text,
                title=prepared.parsed.title,
                tokenizer=self.tokenizer,
                settings=chunking_settings(self.embedder.spec),
            )
        except CRMindError as error:
            return _failure(prepared, error)
        except Exception as error:
            logger.exception("a document of source %s could not be split", self.source.pk)
            message = f"It could not be divided into passages ({type(error).__name__})."
            return _failure(prepared, InvalidDocumentError(message))
        return replace(prepared, passages=passages)


def chunking_settings(spec: EmbeddingSpec) -> ChunkingSettings:
    """Return the sizes in force; a passage never exceeds what the model reads."""
    settings = knowledge_settings()
    return ChunkingSettings(
        max_tokens=min(settings.chunk_max_tokens, spec.max_tokens),
        target_tokens=settings.chunk_target_tokens,
        overlap_tokens=settings.chunk_overlap_tokens,
    )


def _failure(prepared: PreparedDocument, error: CRMindError) -> StoreFailure:
    return StoreFailure(external_id=prepared.external_id, title=prepared.parsed.title, error=error)


def _work(prepared: PreparedDocument, context: WriteContext) -> Work:
    return Work(
        external_id=prepared.external_id,
        title=prepared.parsed.title,
        document_id=prepared.document_id,
        passages=prepared.passages,
        write=partial(write_document, prepared, context),
    )


def _unchanged(prepared: PreparedDocument) -> StoreOutcome:
    stored = prepared.stored
    return StoreOutcome(
        external_id=prepared.external_id,
        document_id=prepared.document_id,
        outcome=Outcome.UNCHANGED,
        status=stored.status if stored else DocumentStatus.PENDING,
        reason=stored.reason if stored else "",
        chunk_count=stored.chunk_count if stored else 0,
        warnings=prepared.parsed.warnings,
    )


def _preview(prepared: PreparedDocument) -> StoreOutcome:
    has_text = bool(prepared.passages)
    return StoreOutcome(
        external_id=prepared.external_id,
        document_id=prepared.document_id,
        outcome=Outcome.UPDATED if prepared.stored else Outcome.ADDED,
        status=DocumentStatus.READY if has_text else DocumentStatus.NEEDS_ATTENTION,
        reason="" if has_text else NO_TEXT,
        chunk_count=len(prepared.passages),
        warnings=prepared.parsed.warnings,
    )


def _note_changes(
    prepared: Sequence[PreparedDocument], outcomes: Sequence[StoreOutcome | StoreFailure]
) -> None:
    changes: Counter[str] = Counter()
    for each, outcome in zip(prepared, outcomes, strict=True):
        if isinstance(outcome, StoreOutcome):
            changes[each.language] += outcome.embedded_count
    for language, count in changes.items():
        note_chunk_changes(language=language, count=count)
