"""Takes parsed documents in: prepared, embedded and written batch by batch."""

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from crmind.exceptions import CRMindError
from knowledge.conf import knowledge_settings
from knowledge.embedding.base import Embedder, EmbeddingSpec, Tokenizer
from knowledge.exceptions import InvalidDocumentError, WorkerDiedError
from knowledge.ingestion import store
from knowledge.ingestion.chunking import ChunkingSettings
from knowledge.ingestion.pipeline import split_document
from knowledge.ingestion.types import ParsedDocument
from knowledge.models import DocumentStatus, Source
from knowledge.services.attendance import Attendance, name_of
from knowledge.services.backoff import MOST_DOCUMENT_ATTEMPTS
from knowledge.services.batches import StartedBatch, Work, finish_batch, start_batch
from knowledge.services.claims import Claim, RunContext, claim_versions
from knowledge.services.preparation import PreparedDocument, StoredVersion, prepare_documents
from knowledge.services.spaces import find_active_space
from knowledge.services.storing import NO_TEXT, WriteContext, write_document
from knowledge.services.terms import note_chunk_changes
from knowledge.services.types import Outcome, StoreFailure, StoreOutcome
from knowledge.services.vectors import writing_spaces

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """A document during whose reading a worker died: to be read alone, after all others."""

    parsed: ParsedDocument
    tries: int


# A document to be written, one that is stored already, one that is unfit, one to be read alone.
Prepared = PreparedDocument | StoreOutcome | StoreFailure | Suspect


@dataclass(frozen=True, slots=True, kw_only=True)
class StartedIntake:
    """Documents that were prepared, and whose vectors are being made."""

    prepared: Sequence[Prepared]
    indexing: StartedBatch
    attended: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Intake:
    """The means with which documents of one source are taken in."""

    source: Source
    embedder: Embedder
    tokenizer: Tokenizer
    now: datetime
    attendance: Attendance
    run: RunContext | None = None

    def store_batch(
        self, batch: Sequence[ParsedDocument], *, parent_id: int | None = None
    ) -> Iterator[StoreOutcome | StoreFailure | Suspect]:
        """Store documents of different external ids; yield what became of each, in order.

        One that is alone in its batch is no suspect: it is read.
        """
        return self.finish(self.start(batch, parent_id=parent_id))

    def start(
        self,
        batch: Sequence[ParsedDocument],
        *,
        parent_id: int | None = None,
        beside: Executor | None = None,
    ) -> StartedIntake:
        """Prepare documents and begin to embed them, in another thread if there is one."""
        spaces = writing_spaces(self.embedder)
        context = WriteContext(
            source_id=self.source.pk,
            now=self.now,
            parent_id=parent_id,
            run_id=self.run.run_id if self.run else None,
        )
        judged = self._judge(batch, space_id=spaces.active.space_id)
        claims = [_claim(each) for each in judged if isinstance(each, PreparedDocument)]
        attended = self.attendance.attend(self._name(claim) for claim in claims)
        self._take(claims, attended)
        prepared = self._split_all(judged, spaces.active.embedder)
        works = [_work(each, context) for each in prepared if isinstance(each, PreparedDocument)]
        return StartedIntake(
            prepared=prepared,
            indexing=start_batch(works, spaces=spaces, beside=beside),
            attended=attended,
        )

    def finish(self, started: StartedIntake) -> Iterator[StoreOutcome | StoreFailure | Suspect]:
        """Write what was started; yield what became of each document, in order."""
        in_order = finish_batch(started.indexing)
        written: list[tuple[str, StoreOutcome | StoreFailure]] = []
        try:
            for each in started.prepared:
                if not isinstance(each, PreparedDocument):
                    yield each
                    continue
                outcome = next(in_order)
                written.append((each.language, outcome))
                yield outcome
        finally:
            self.attendance.leave(started.attended)
            _note_changes(written)

    def store_one(
        self, parsed: ParsedDocument, *, parent_id: int | None = None
    ) -> StoreOutcome | StoreFailure:
        """Store one document; return what became of it."""
        (outcome,) = self.store_batch([parsed], parent_id=parent_id)
        if isinstance(outcome, Suspect):
            message = "A document that is alone is never set aside."
            raise TypeError(message)
        return outcome

    def preview_batch(self, batch: Sequence[ParsedDocument]) -> list[StoreOutcome | StoreFailure]:
        """Return what storing the documents would do, without storing or embedding anything."""
        space = find_active_space()
        looked_up = self._look_up(batch, space_id=space.pk if space else None)
        split = [
            self._split(each, self.embedder) if isinstance(each, PreparedDocument) else each
            for each in looked_up
        ]
        return [_preview(each) if isinstance(each, PreparedDocument) else each for each in split]

    def _judge(self, batch: Sequence[ParsedDocument], *, space_id: int | None) -> list[Prepared]:
        return [
            _judged(each, is_alone=len(batch) == 1) if isinstance(each, PreparedDocument) else each
            for each in self._look_up(batch, space_id=space_id)
        ]

    def _name(self, claim: Claim) -> str:
        return name_of(self.source.pk, claim.parsed.external_id)

    def _take(self, claims: Sequence[Claim], attended: frozenset[str]) -> None:
        if claims:
            claim_versions(
                claims,
                source_id=self.source.pk,
                attended=attended,
                run=self.run,
                now=self.now,
            )

    def _split_all(self, judged: Sequence[Prepared], embedder: Embedder) -> list[Prepared]:
        return [
            self._split(each, embedder) if isinstance(each, PreparedDocument) else each
            for each in judged
        ]

    def _look_up(
        self, batch: Sequence[ParsedDocument], *, space_id: int | None
    ) -> list[PreparedDocument | StoreOutcome | StoreFailure]:
        prepared = list(prepare_documents(self.source, batch))
        settled = [
            each.stored.document_id
            for each in prepared
            if isinstance(each, PreparedDocument) and each.is_settled and each.stored
        ]
        unembedded = store.find_unembedded(settled, space_id=space_id)
        return [
            _unchanged(each, each.stored, self.run)
            if isinstance(each, PreparedDocument)
            and each.stored
            and each.is_settled
            and each.document_id not in unembedded
            else each
            for each in prepared
        ]

    def _split(
        self, prepared: PreparedDocument, embedder: Embedder
    ) -> PreparedDocument | StoreFailure:
        try:
            passages = split_document(
                text=prepared.parsed.text,
                title=prepared.parsed.title,
                tokenizer=self.tokenizer,
                settings=chunking_settings(embedder.spec),
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


def _judged(
    prepared: PreparedDocument, *, is_alone: bool
) -> PreparedDocument | StoreFailure | Suspect:
    """Set aside what a worker died of, and refuse what it died of too often."""
    if prepared.tries >= MOST_DOCUMENT_ATTEMPTS:
        return _failure(prepared, WorkerDiedError())
    if prepared.tries and not is_alone:
        return Suspect(parsed=prepared.parsed, tries=prepared.tries)
    return prepared


def _claim(prepared: PreparedDocument) -> Claim:
    return Claim(
        parsed=prepared.parsed,
        content_hash=prepared.content_hash,
        language=prepared.language,
        document_id=prepared.document_id,
    )


def outcome_in_run(
    run: RunContext | None, *, last_run_id: int | None, created_at: datetime
) -> Outcome:
    """Return what counts for a document that needs no work: a resumed run may have done it."""
    if run is None or not run.is_resumed or last_run_id != run.run_id:
        return Outcome.UNCHANGED
    return Outcome.ADDED if created_at >= run.began_at else Outcome.UPDATED


def _unchanged(
    prepared: PreparedDocument, stored: StoredVersion, run: RunContext | None
) -> StoreOutcome:
    return StoreOutcome(
        external_id=prepared.external_id,
        document_id=prepared.document_id,
        outcome=outcome_in_run(run, last_run_id=stored.last_run_id, created_at=stored.created_at),
        status=stored.status,
        reason=stored.reason,
        chunk_count=stored.chunk_count,
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


def _note_changes(written: Sequence[tuple[str, StoreOutcome | StoreFailure]]) -> None:
    changes: Counter[str] = Counter()
    for language, outcome in written:
        if isinstance(outcome, StoreOutcome):
            changes[language] += outcome.embedded_count
    for language, count in changes.items():
        note_chunk_changes(language=language, count=count)
