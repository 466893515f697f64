"""Takes a stream of documents in, batch by batch; one that fails never stops the others."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime
from operator import attrgetter

from knowledge.embedding.base import Embedder, Tokenizer
from knowledge.exceptions import EmbeddingError, InvalidDocumentError
from knowledge.ingestion.types import (
    Incoming,
    ParsedDocument,
    UnchangedDocument,
    UnreadableDocument,
)
from knowledge.models import Document, DocumentStatus, Source
from knowledge.services.attendance import Attendance
from knowledge.services.batches import check_answers
from knowledge.services.claims import RunContext
from knowledge.services.intake import Intake, StartedIntake, Suspect, outcome_in_run
from knowledge.services.preparation import StoredVersion, read_versions
from knowledge.services.succession import succeed_by_name
from knowledge.services.trouble import record_failure, record_unreadable
from knowledge.services.types import Outcome, StoreFailure, StoreOutcome

BATCH_DOCUMENTS = 64
# About a hundred passages: enough to embed well together, and seconds between signs of life.
BATCH_CHARACTERS = 100_000

FORGOTTEN = "It was deleted here meanwhile; the next check fetches it again."


def store_documents(
    *,
    source: Source,
    parsed: Iterable[Incoming],
    embedder: Embedder,
    tokenizer: Tokenizer,
    now: datetime,
    run: RunContext | None = None,
) -> Iterator[StoreOutcome]:
    """Store documents in batches and yield what became of each, in order.

    One that fails is recorded with its reason, and the next is taken. Those a worker died of come
    last, one by one. Raises EmbeddingError within a run of the queue, which is tried again, when
    the model answers nothing at all.
    """
    with Attendance() as attendance:
        intake = Intake(
            source=source,
            embedder=embedder,
            tokenizer=tokenizer,
            now=now,
            run=run,
            attendance=attendance,
        )
        yield from _store_all(intake, parsed)


def _store_all(intake: Intake, parsed: Iterable[Incoming]) -> Iterator[StoreOutcome]:
    successors: dict[str, str] = {}
    suspects: list[Suspect] = []
    for started in _started(_batches(parsed), intake):
        successors |= {
            each.external_id: each.supersedes
            for each in started.batch
            if isinstance(each, ParsedDocument) and each.supersedes
        }
        for outcome in _stored(started, intake):
            if isinstance(outcome, Suspect):
                suspects.append(outcome)
            else:
                yield outcome
    for suspect in sorted(suspects, key=attrgetter("tries")):
        yield _recorded(intake.store_one(suspect.parsed), intake)
    for external_id, old in successors.items():
        succeed_by_name(source=intake.source, external_id=external_id, old=old, now=intake.now)


@dataclass(frozen=True, slots=True, kw_only=True)
class _StartedBatch:
    """A batch of the stream, those of its documents that have text being embedded."""

    batch: Sequence[Incoming]
    intake: StartedIntake | None

    @property
    def names(self) -> set[str]:
        return {each.external_id for each in self.batch}


def _started(batches: Iterable[Sequence[Incoming]], intake: Intake) -> Iterator[_StartedBatch]:
    """Yield each batch when the next one is being embedded: the model does not wait for writing.

    A batch that holds another version of a document waits until the first one is written.
    """
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedding") as beside:
        ahead: _StartedBatch | None = None
        for batch in batches:
            if ahead and not ahead.names.isdisjoint(each.external_id for each in batch):
                yield ahead
                ahead = None
            texts = [each for each in batch if isinstance(each, ParsedDocument)]
            started = _StartedBatch(
                batch=batch, intake=intake.start(texts, beside=beside) if texts else None
            )
            if ahead:
                yield ahead
            ahead = started
        if ahead:
            yield ahead


def _stored(started: _StartedBatch, intake: Intake) -> Iterator[StoreOutcome | Suspect]:
    """Yield what became of each document of a batch, in order."""
    stored = intake.finish(started.intake) if started.intake else iter(())
    kept = _read_unchanged(intake.source, started.batch)
    for each in started.batch:
        if isinstance(each, UnreadableDocument):
            yield _unreadable(each, intake)
        elif isinstance(each, UnchangedDocument):
            yield _unchanged(each, kept, intake.run)
        else:
            outcome = next(stored)
            yield outcome if isinstance(outcome, Suspect) else _recorded(outcome, intake)


def preview_documents(
    *,
    source: Source,
    parsed: Iterable[Incoming],
    embedder: Embedder,
    tokenizer: Tokenizer,
    now: datetime,
) -> Iterator[StoreOutcome]:
    """Yield what `store_documents` would do; nothing is stored or embedded."""
    intake = Intake(
        source=source,
        embedder=embedder,
        tokenizer=tokenizer,
        now=now,
        attendance=Attendance(),
    )
    for batch in _batches(parsed):
        texts = [each for each in batch if isinstance(each, ParsedDocument)]
        previewed = iter(intake.preview_batch(texts) if texts else ())
        kept = _read_unchanged(source, batch)
        for each in batch:
            if isinstance(each, UnreadableDocument):
                yield _failed(each.external_id, each.reason)
                continue
            if isinstance(each, UnchangedDocument):
                yield _unchanged(each, kept)
                continue
            outcome = next(previewed)
            if isinstance(outcome, StoreFailure):
                yield _failed(outcome.external_id, outcome.error.message)
            else:
                yield outcome


def _batches(parsed: Iterable[Incoming]) -> Iterator[list[Incoming]]:
    """Group documents; two of the same external id never share a batch."""
    batch: dict[str, Incoming] = {}
    characters = 0
    for each in parsed:
        is_full = len(batch) >= BATCH_DOCUMENTS or characters >= BATCH_CHARACTERS
        if batch and (is_full or each.external_id in batch):
            yield list(batch.values())
            batch, characters = {}, 0
        batch[each.external_id] = each
        characters += len(each.text) if isinstance(each, ParsedDocument) else 0
    if batch:
        yield list(batch.values())


def _recorded(outcome: StoreOutcome | StoreFailure, intake: Intake) -> StoreOutcome:
    if isinstance(outcome, StoreOutcome):
        return outcome
    run = intake.run
    if run and run.is_queued and isinstance(outcome.error, EmbeddingError):
        check_answers(intake.embedder)
    try:
        document = record_failure(
            source=intake.source,
            failure=outcome,
            now=intake.now,
            run_id=run.run_id if run else None,
        )
    except InvalidDocumentError as error:
        return replace(_failed(outcome.external_id, outcome.error.message), code=error.code)
    return replace(_trouble(document), code=outcome.error.code)


def _unreadable(unreadable: UnreadableDocument, intake: Intake) -> StoreOutcome:
    try:
        document = record_unreadable(
            source=intake.source,
            unreadable=unreadable,
            now=intake.now,
            run_id=intake.run.run_id if intake.run else None,
        )
    except InvalidDocumentError as error:
        return _failed(unreadable.external_id, error.message)
    return _trouble(document)


def _read_unchanged(source: Source, batch: Iterable[Incoming]) -> dict[str, StoredVersion]:
    names = [each.external_id for each in batch if isinstance(each, UnchangedDocument)]
    return read_versions(source.pk, names) if names else {}


def _unchanged(
    unchanged: UnchangedDocument,
    kept: Mapping[str, StoredVersion],
    run: RunContext | None = None,
) -> StoreOutcome:
    stored = kept.get(unchanged.external_id)
    if stored is None:
        return _failed(unchanged.external_id, FORGOTTEN)
    return StoreOutcome(
        external_id=unchanged.external_id,
        document_id=stored.document_id,
        outcome=outcome_in_run(run, last_run_id=stored.last_run_id, created_at=stored.created_at),
        status=stored.status,
        reason=stored.reason,
        chunk_count=stored.chunk_count,
    )


def _trouble(document: Document) -> StoreOutcome:
    return StoreOutcome(
        external_id=document.external_id,
        document_id=document.pk,
        outcome=Outcome.FAILED,
        status=document.status,
        reason=document.status_reason,
        chunk_count=document.chunk_count,
        warnings=tuple(document.warnings),
    )


def _failed(external_id: str, reason: str) -> StoreOutcome:
    """Return the outcome of a document of which nothing was recorded."""
    return StoreOutcome(
        external_id=external_id,
        document_id=None,
        outcome=Outcome.FAILED,
        status=DocumentStatus.FAILED,
        reason=reason,
    )
