"""Takes files, folders, exports, mailboxes and web addresses into a source."""

import json
import sys
from argparse import ArgumentParser
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from crmind.exceptions import CRMindError
from knowledge.embedding.registry import get_embedder, get_tokenizer
from knowledge.exceptions import ListingError, SourceBusyError, UnknownEntityError
from knowledge.fetching.addresses import is_web_address, normalise_url
from knowledge.ingestion.row_mapping import parse_mapping
from knowledge.management.progress import progress_bar
from knowledge.management.reports import model_note, summary_lines, summary_record
from knowledge.models import Connector, IngestionRun, RunKind, RunTrigger, Source
from knowledge.services import (
    ensure_entity,
    ensure_source,
    find_source_type,
    get_entity,
    get_source,
    update_source,
)
from knowledge.services.imports import describe_import
from knowledge.services.ingest import (
    IngestPlan,
    RunSummary,
    Tools,
    ingest_paths,
    plan_ingestion,
    plan_refresh,
    preview_paths,
)
from knowledge.services.runs import create_run, fail_run, mark_cancelled
from knowledge.services.vectors import writing_spaces
from knowledge.tasks import enqueue_import

EXIT_WITH_FAILURES = 3
EXIT_UNCONFIRMED = 4


class Command(BaseCommand):
    """`manage.py ingest PATH|URL... --source NAME`."""

    help = (
        "Take files, folders, exports (CSV, TSV, JSON lines), mailboxes (MBOX, Maildir), web pages,"
        " sitemaps and feeds into a source. Without PATH the source is read where it lies. Exit"
        " code 3 when a document needs attention, unless --allow-failures is given; 4 when"
        " documents that are gone wait for --confirm-removal."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the paths, the source and what counts for all documents."""
        parser.add_argument("paths", nargs="*", metavar="PATH|URL")
        parser.add_argument("--source", required=True, metavar="NAME", help="Made if it is new.")
        parser.add_argument("--type", default="", metavar="SLUG", help="Source type.")
        parser.add_argument("--entity", default="", metavar="NAME", help="What all is about.")
        parser.add_argument(
            "--create-entities",
            action="store_true",
            help="Add the entity of --entity as a company if it is unknown.",
        )
        parser.add_argument("--tags", default="", metavar="A,B", help="Access tags of readers.")
        parser.add_argument(
            "--map",
            action="append",
            default=[],
            metavar="FIELD=COLUMN",
            help="Which column of an export fills a field; a new source keeps it.",
        )
        parser.add_argument(
            "--confirm-removal",
            action="store_true",
            help="Take out what is gone from the source, however much it is.",
        )
        parser.add_argument(
            "--background",
            action="store_true",
            help="Hand it to the queue worker, which reads files where they are.",
        )
        parser.add_argument("--dry-run", action="store_true", help="Only say what would happen.")
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")
        parser.add_argument("--allow-failures", action="store_true", help="Exit with 0 anyway.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Check everything first, then ingest and report."""
        try:
            summary = _preview(options) if options["dry_run"] else _ingest(options)
        except CRMindError as error:
            raise CommandError(error.message) from error
        if isinstance(summary, int):
            told = f"Run {summary} waits for the queue worker; the admin shows how far it is."
            self.stdout.write(json.dumps({"run": summary}) if options["json"] else told)
            return
        self._report(summary, options)
        if summary.failure:
            raise CommandError(summary.failure)
        if summary.failed and not options["allow_failures"]:
            sys.exit(EXIT_WITH_FAILURES)
        if summary.to_remove and not options["dry_run"]:
            sys.exit(EXIT_UNCONFIRMED)

    def _report(self, summary: RunSummary, options: dict[str, Any]) -> None:
        if options["json"]:
            self.stdout.write(json.dumps(summary_record(summary), ensure_ascii=False))
            return
        lines = summary_lines(summary, is_preview=options["dry_run"])
        for line in (*model_note(), *lines):
            self.stdout.write(line)


def _plan(options: dict[str, Any], source: Source | None) -> IngestPlan:
    """Plan what was asked for; all of what an existing source holds, if that is meant."""
    find_source_type(options["type"])
    mapping = parse_mapping(options["map"])
    location = _location(options["paths"])
    covers_source = source is None or (bool(location) and source.location == location)
    if source is not None and covers_source:
        mapping = mapping or source.mapping
    plan = plan_ingestion(
        paths=options["paths"],
        mapping=mapping,
        source_type=options["type"].strip(),
        entities=_entities(options),
        access_tags=[tag.strip() for tag in options["tags"].split(",") if tag.strip()],
    )
    return replace(
        plan,
        covers_source=covers_source and bool(location),
        confirms_removal=options["confirm_removal"],
    )


def _location(paths: list[str]) -> str:
    """Return what a source remembers of where it lies: one place, or nothing."""
    if len(paths) != 1:
        return ""
    path = str(paths[0])
    return normalise_url(path) if is_web_address(path) else str(Path(path).resolve())


def _find_source(name: str) -> Source | None:
    found: Source | None = (
        Source.objects.select_related("source_type").filter(name__iexact=name.strip()).first()
    )
    return found


def _entities(options: dict[str, Any]) -> list[str]:
    name = options["entity"].strip()
    if not name:
        return []
    if not options["create_entities"]:
        _check_entity(name)
    return [name]


def _check_entity(name: str) -> None:
    try:
        get_entity(name)
    except UnknownEntityError as error:
        message = f"{error.message} --create-entities adds it as a company."
        raise UnknownEntityError(message, field="entity") from error


def _tools() -> Tools:
    return Tools(embedder=get_embedder(), tokenizer=get_tokenizer(), now=timezone.now())


def _ingest(options: dict[str, Any]) -> RunSummary | int:
    """Take in what was named now, or return the id of the run in which the worker will."""
    if not options["paths"]:
        return _refresh(options)
    known = _find_source(options["source"])
    try:
        plan = _plan(options, known)
    except ListingError as error:
        if known is not None and known.location == _location(options["paths"]):
            run = create_run(source=known, trigger=RunTrigger.COMMAND)
            fail_run(run=run, reason=error.message, now=timezone.now())
        raise
    tools = _tools()
    writing_spaces(tools.embedder)
    source = ensure_source(
        name=options["source"],
        type_slug=plan.source_type,
        access_tags=plan.access_tags,
        connector=_connector(plan),
        location=_location(options["paths"]),
        mapping=plan.mapping,
    )
    for name in plan.entities if options["create_entities"] else ():
        _ensure_company(name)
    arguments = describe_import(plan, options["paths"])
    if options["background"]:
        return enqueue_import(source.pk, arguments)
    summary = _run(source, plan, tools, arguments)
    if known is None and summary.is_feed:
        update_source(source=source, connector=Connector.FEED)
    return summary


def _refresh(options: dict[str, Any]) -> RunSummary | int:
    """Read a source again where it lies."""
    source = get_source(options["source"])
    plan = plan_refresh(source, confirms_removal=options["confirm_removal"])
    arguments = describe_import(plan, [source.location])
    if options["background"]:
        return enqueue_import(source.pk, arguments)
    return _run(source, plan, _tools(), arguments)


def _run(source: Source, plan: IngestPlan, tools: Tools, arguments: dict[str, Any]) -> RunSummary:
    run: IngestionRun = create_run(
        source=source, trigger=RunTrigger.COMMAND, kind=RunKind.IMPORT, arguments=arguments
    )
    try:
        with progress_bar() as on_progress:
            return ingest_paths(
                source=source, plan=plan, run=run, tools=tools, on_progress=on_progress
            )
    except SourceBusyError:
        mark_cancelled(run=run, now=timezone.now())
        raise


def _connector(plan: IngestPlan) -> Connector:
    if plan.addresses:
        return Connector.URL
    if plan.mapping:
        return Connector.EXPORT
    return Connector.MAILBOX if plan.is_mailbox else Connector.FOLDER


def _preview(options: dict[str, Any]) -> RunSummary:
    source = _find_source(options["source"])
    if source is not None and not options["paths"]:
        plan = plan_refresh(source)
    else:
        plan = _plan(options, source)
    if source is None:
        name = options["source"].strip()
        source = Source(name=name, source_type=find_source_type(plan.source_type))
        source.access_tags = list(plan.access_tags) or source.access_tags
    with progress_bar() as on_progress:
        return preview_paths(source=source, plan=plan, tools=_tools(), on_progress=on_progress)


def _ensure_company(name: str) -> None:
    try:
        get_entity(name)
    except UnknownEntityError:
        ensure_entity(name=name)
