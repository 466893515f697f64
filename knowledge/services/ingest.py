"""Takes a source in as one run: find, read, store, count, and tell what became of each."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from knowledge.exceptions import ListingError
from knowledge.fetching.addresses import is_web_address, normalise_url
from knowledge.ingestion.connectors import check_mapping, find_files
from knowledge.models import IngestionRun, Source
from knowledge.services.gathering import (
    DocumentReport,
    Gatherer,
    IngestPlan,
    Progress,
    RunSummary,
    Tools,
)
from knowledge.services.locations import check_not_moved
from knowledge.services.page_memory import remember_listings, remember_page
from knowledge.services.recording import RunRecorder
from knowledge.services.removal import (
    Removal,
    count_listed,
    count_missing,
    hold_for_confirmation,
    note_found,
    settle_missing,
    withdraw_questions,
)
from knowledge.services.runs import running
from knowledge.services.source_lock import alone_with
from knowledge.services.streams import preview_documents, store_documents
from knowledge.services.terms import refresh_term_statistics
from knowledge.services.types import Outcome, StoreOutcome
from knowledge.services.validation import checked_access_tags

__all__ = [
    "DocumentReport",
    "IngestPlan",
    "Progress",
    "RunSummary",
    "Tools",
    "ingest_paths",
    "plan_ingestion",
    "plan_refresh",
    "preview_paths",
]

NOTED_TOGETHER = 200
IN_DOUBT = (
    "Not everything could be read, so nothing was taken out: what is missing may be in what was not"
    " read."
)


def plan_ingestion(
    *,
    paths: Sequence[Path | str],
    mapping: Mapping[str, str],
    source_type: str = "",
    entities: Iterable[str] = (),
    access_tags: Iterable[str] = (),
) -> IngestPlan:
    """Find the files and check all that can be wrong before anything is stored.

    Web addresses are looked up only when the run begins. Raises InvalidInputError (ListingError,
    MappingError, AddressRefusedError, InvalidDocumentError) naming what is wrong.
    """
    addresses = tuple(normalise_url(str(path)) for path in paths if is_web_address(str(path)))
    named = [Path(path) for path in paths if not is_web_address(str(path))]
    files = find_files(named) if named else ()
    if files or mapping:
        check_mapping(files, mapping)
    tags = tuple(access_tags)
    return IngestPlan(
        files=files,
        addresses=addresses,
        mapping=mapping,
        source_type=source_type,
        entities=tuple(entities),
        access_tags=tuple(checked_access_tags(tags, field="tags")) if tags else (),
    )


def plan_refresh(source: Source, *, confirms_removal: bool = False) -> IngestPlan:
    """Plan to read a source again where it says that it lies. Raises as `plan_ingestion`."""
    if not source.location:
        message = f"location: the source {source.name!r} does not say where its documents lie."
        raise ListingError(message, field="location")
    if not is_web_address(source.location):
        check_not_moved(source.location)
    plan = plan_ingestion(paths=[source.location], mapping=source.mapping)
    return replace(plan, covers_source=True, confirms_removal=confirms_removal)


def ingest_paths(
    *,
    source: Source,
    plan: IngestPlan,
    run: IngestionRun,
    tools: Tools,
    on_progress: Callable[[Progress], None],
) -> RunSummary:
    """Store every document that is found, as one run. One that is bad never stops the rest.

    A run that covers its source takes out what the source no longer holds, or ends with the
    question whether to. One that cannot tell what the source holds fails, and takes out nothing.
    Raises SourceBusyError for one that covers its source while another such run is under way.
    """
    started = time.monotonic()
    removal, failure = Removal(), ""
    alone = alone_with(source.pk) if plan.covers_source else nullcontext()
    with alone, Gatherer(source, plan, on_progress) as gatherer:
        try:
            with running(run, expected=len(plan.files) or None) as recorder:
                removal = _take_in(source, plan, run, tools=tools, by=(gatherer, recorder))
        except ListingError as error:
            failure = error.message
        if removal.held:
            hold_for_confirmation(run=run, removal=removal)
        refresh_term_statistics()
        summary = gatherer.summary(run_id=run.pk, seconds=time.monotonic() - started)
    return replace(summary, removed=removal.removed, to_remove=removal.held, failure=failure)


def _take_in(
    source: Source,
    plan: IngestPlan,
    run: IngestionRun,
    *,
    tools: Tools,
    by: tuple[Gatherer, RunRecorder],
) -> Removal:
    gatherer, recorder = by
    known_before = count_listed(source.pk)
    if plan.covers_source:
        withdraw_questions(source.pk)
    batch: list[StoreOutcome] = []
    outcomes = store_documents(
        source=source,
        parsed=gatherer.documents(on_wait=recorder.flush),
        embedder=tools.embedder,
        tokenizer=tools.tokenizer,
        now=tools.now,
        run=recorder.context,
    )
    for outcome in outcomes:
        recorder.record(outcome, expected=gatherer.expected)
        gatherer.report(outcome)
        batch.append(outcome)
        if len(batch) >= NOTED_TOGETHER:
            _note(batch, source, plan, gatherer, tools)
            batch = []
    _note(batch, source, plan, gatherer, tools)
    remember_listings(source_id=source.pk, marks=gatherer.listings, now=tools.now)
    for note in gatherer.notes:
        recorder.note(note)
    if plan.covers_source and gatherer.has_doubts:
        recorder.note(IN_DOUBT)
    recorder.flush()
    if not plan.covers_source:
        return Removal()
    gatherer.check_completeness()
    if not gatherer.is_exhaustive or gatherer.has_doubts:
        return Removal()
    return settle_missing(
        run=run,
        found=gatherer.found,
        known_before=known_before,
        is_confirmed=plan.confirms_removal,
        now=tools.now,
    )


def _note(
    outcomes: Sequence[StoreOutcome],
    source: Source,
    plan: IngestPlan,
    gatherer: Gatherer,
    tools: Tools,
) -> None:
    """Remember what was found, and of pages which version was stored."""
    if plan.covers_source:
        note_found(source_id=source.pk, external_ids=[each.external_id for each in outcomes])
    for outcome in outcomes:
        mark = gatherer.mark_of(outcome.external_id)
        if mark and outcome.outcome is not Outcome.FAILED:
            remember_page(source_id=source.pk, mark=mark, now=tools.now)


def preview_paths(
    *,
    source: Source,
    plan: IngestPlan,
    tools: Tools,
    on_progress: Callable[[Progress], None],
) -> RunSummary:
    """Return what `ingest_paths` would do, without storing or embedding anything.

    Raises ListingError when it cannot be told what the source holds.
    """
    started = time.monotonic()
    with Gatherer(source, plan, on_progress) as gatherer:
        outcomes = preview_documents(
            source=source,
            parsed=gatherer.documents(),
            embedder=tools.embedder,
            tokenizer=tools.tokenizer,
            now=tools.now,
        )
        for outcome in outcomes:
            gatherer.report(outcome)
        missing = 0
        if (
            plan.covers_source
            and gatherer.is_exhaustive
            and not (gatherer.gaps or gatherer.has_doubts)
        ):
            missing = count_missing(source.pk, gatherer.found)
        summary = gatherer.summary(run_id=None, seconds=time.monotonic() - started)
    return replace(summary, to_remove=missing)
