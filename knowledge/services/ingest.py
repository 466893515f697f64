"""Takes files in as one run: find, read, store, count, and tell what became of each."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from knowledge.embedding.base import Embedder, Tokenizer
from knowledge.ingestion.connectors import FoundFile, check_mapping, find_files, read_file
from knowledge.ingestion.types import ParsedDocument, UnreadableDocument
from knowledge.models import IngestionRun, Source
from knowledge.services.runs import running
from knowledge.services.streams import preview_documents, store_documents
from knowledge.services.terms import refresh_term_statistics
from knowledge.services.types import Outcome, StoreOutcome
from knowledge.services.validation import checked_access_tags

Incoming = ParsedDocument | UnreadableDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What indexing needs beside the documents."""

    embedder: Embedder
    tokenizer: Tokenizer
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestPlan:
    """Which files to take in, and what counts for each document that does not say it itself."""

    files: tuple[FoundFile, ...]
    mapping: Mapping[str, str] = field(default_factory=dict)
    source_type: str = ""
    entities: tuple[str, ...] = ()
    access_tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How many documents were looked at, of how many as far as is known."""

    seen: int
    expected: int
    current: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentReport:
    """What became of one document, and the file it came from."""

    path: str
    outcome: StoreOutcome

    @property
    def counted_as(self) -> Outcome:
        return Outcome.FAILED if self.outcome.needs_attention else self.outcome.outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """What became of every document of a run; `notes` concern files as a whole."""

    source: str
    run_id: int | None
    documents: tuple[DocumentReport, ...]
    notes: tuple[str, ...]
    seconds: float

    def count(self, outcome: Outcome) -> int:
        """Return how many documents ended so; one that needs attention counts as failed."""
        return sum(report.counted_as is outcome for report in self.documents)

    @property
    def failed(self) -> tuple[DocumentReport, ...]:
        return tuple(each for each in self.documents if each.counted_as is Outcome.FAILED)


def plan_ingestion(
    *,
    paths: Sequence[Path],
    mapping: Mapping[str, str],
    source_type: str = "",
    entities: Iterable[str] = (),
    access_tags: Iterable[str] = (),
) -> IngestPlan:
    """Find the files and check all that can be wrong before anything is stored.

    Raises InvalidInputError (MappingError, InvalidDocumentError) naming what is wrong.
    """
    files = find_files(paths)
    check_mapping(files, mapping)
    tags = tuple(access_tags)
    return IngestPlan(
        files=files,
        mapping=mapping,
        source_type=source_type,
        entities=tuple(entities),
        access_tags=tuple(checked_access_tags(tags, field="tags")) if tags else (),
    )


def ingest_paths(
    *,
    source: Source,
    plan: IngestPlan,
    run: IngestionRun,
    tools: Tools,
    on_progress: Callable[[Progress], None],
) -> RunSummary:
    """Store every document of the files, as one run. One bad file never stops the rest."""
    feed = _Feed(source, plan, on_progress)
    started = time.monotonic()
    with running(run, expected=len(plan.files)) as recorder:
        outcomes = store_documents(
            source=source,
            parsed=feed.documents(),
            embedder=tools.embedder,
            tokenizer=tools.tokenizer,
            now=tools.now,
        )
        for outcome in outcomes:
            recorder.record(outcome)
            feed.report(outcome)
        for note in feed.notes:
            recorder.note(note)
    refresh_term_statistics()
    return feed.summary(run_id=run.pk, seconds=time.monotonic() - started)


def preview_paths(
    *,
    source: Source,
    plan: IngestPlan,
    tools: Tools,
    on_progress: Callable[[Progress], None],
) -> RunSummary:
    """Return what `ingest_paths` would do, without storing or embedding anything."""
    feed = _Feed(source, plan, on_progress)
    started = time.monotonic()
    outcomes = preview_documents(
        source=source,
        parsed=feed.documents(),
        embedder=tools.embedder,
        tokenizer=tools.tokenizer,
        now=tools.now,
    )
    for outcome in outcomes:
        feed.report(outcome)
    return feed.summary(run_id=None, seconds=time.monotonic() - started)


class _Feed:
    """Reads files as they are asked for, and remembers which document came from which."""

    def __init__(
        self, source: Source, plan: IngestPlan, on_progress: Callable[[Progress], None]
    ) -> None:
        self._source = source
        self._plan = plan
        self._on_progress = on_progress
        self._expected = len(plan.files)
        self._path_by_id: dict[str, str] = {}
        self._reports: list[DocumentReport] = []
        self.notes: list[str] = []

    def documents(self) -> Iterator[Incoming]:
        """Yield the documents of each file in order; an id that repeats is left to its first."""
        for file in self._plan.files:
            reading = read_file(file, mapping=self._plan.mapping)
            self.notes.extend(f"{file.external_id}: {warning}" for warning in reading.warnings)
            self._expected += len(reading.documents) - 1
            for document in reading.documents:
                if self._is_repeated(document, file):
                    continue
                yield self._completed(document)

    def report(self, outcome: StoreOutcome) -> None:
        """Take note of what became of a document."""
        path = self._path_by_id.get(outcome.external_id, "")
        self._reports.append(DocumentReport(path=path, outcome=outcome))
        progress = Progress(seen=len(self._reports), expected=self._expected, current=path)
        self._on_progress(progress)

    def summary(self, *, run_id: int | None, seconds: float) -> RunSummary:
        """Return everything noted."""
        return RunSummary(
            source=self._source.name,
            run_id=run_id,
            documents=tuple(self._reports),
            notes=tuple(self.notes),
            seconds=seconds,
        )

    def _is_repeated(self, document: Incoming, file: FoundFile) -> bool:
        first = self._path_by_id.setdefault(document.external_id, str(file.path))
        if first == str(file.path):
            return False
        self._expected -= 1
        self.notes.append(
            f"{file.external_id}: {document.external_id!r} was left out, as {first} has a"
            " document of this id too."
        )
        return True

    def _completed(self, document: Incoming) -> Incoming:
        """Add what was said on the command line; what the source says already is left to it."""
        if isinstance(document, UnreadableDocument):
            return document
        plan = self._plan
        source_type = document.source_type or plan.source_type
        tags = document.access_tags or plan.access_tags
        return replace(
            document,
            source_type="" if source_type == self._source.source_type.slug else source_type,
            access_tags=() if sorted(tags) == sorted(self._source.access_tags) else tags,
            entities=(*document.entities, *plan.entities),
        )
