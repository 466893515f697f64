"""Takes files, folders and exports into a source."""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from crmind.exceptions import CRMindError
from knowledge.embedding.registry import get_embedder, get_tokenizer
from knowledge.exceptions import UnknownEntityError
from knowledge.ingestion.row_mapping import parse_mapping
from knowledge.management.progress import progress_bar
from knowledge.management.reports import model_note, summary_lines, summary_record
from knowledge.models import Connector, RunTrigger, Source
from knowledge.services import (
    ensure_entity,
    ensure_source,
    find_source_type,
    get_entity,
)
from knowledge.services.ingest import (
    IngestPlan,
    RunSummary,
    Tools,
    ingest_paths,
    plan_ingestion,
    preview_paths,
)
from knowledge.services.runs import create_run
from knowledge.services.vectors import writing_spaces

EXIT_WITH_FAILURES = 3


class Command(BaseCommand):
    """`manage.py ingest PATH... --source NAME`."""

    help = (
        "Take files, folders and exports (CSV, TSV, JSON lines) into a source. Exit code 3 when a"
        " document needs attention, unless --allow-failures is given."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the paths, the source and what counts for all documents."""
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
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
            help="Which column of an export fills a field; one row is one document.",
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
        self._report(summary, options)
        if summary.failed and not options["allow_failures"]:
            sys.exit(EXIT_WITH_FAILURES)

    def _report(self, summary: RunSummary, options: dict[str, Any]) -> None:
        if options["json"]:
            self.stdout.write(json.dumps(summary_record(summary), ensure_ascii=False))
            return
        lines = summary_lines(summary, is_preview=options["dry_run"])
        for line in (*model_note(), *lines):
            self.stdout.write(line)


def _plan(options: dict[str, Any]) -> IngestPlan:
    find_source_type(options["type"])
    return plan_ingestion(
        paths=options["paths"],
        mapping=parse_mapping(options["map"]),
        source_type=options["type"].strip(),
        entities=_entities(options),
        access_tags=[tag.strip() for tag in options["tags"].split(",") if tag.strip()],
    )


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


def _ingest(options: dict[str, Any]) -> RunSummary:
    plan = _plan(options)
    tools = _tools()
    writing_spaces(tools.embedder)
    paths = options["paths"]
    source = ensure_source(
        name=options["source"],
        type_slug=plan.source_type,
        access_tags=plan.access_tags,
        connector=Connector.EXPORT if plan.mapping else Connector.FOLDER,
        location=str(paths[0].resolve()) if len(paths) == 1 else "",
    )
    for name in plan.entities if options["create_entities"] else ():
        _ensure_company(name)
    run = create_run(source=source, trigger=RunTrigger.COMMAND)
    with progress_bar() as on_progress:
        return ingest_paths(source=source, plan=plan, run=run, tools=tools, on_progress=on_progress)


def _preview(options: dict[str, Any]) -> RunSummary:
    plan = _plan(options)
    name = options["source"].strip()
    source = Source.objects.select_related("source_type").filter(name__iexact=name).first()
    if source is None:
        source = Source(name=name, source_type=find_source_type(plan.source_type))
        source.access_tags = list(plan.access_tags) or source.access_tags
    with progress_bar() as on_progress:
        return preview_paths(source=source, plan=plan, tools=_tools(), on_progress=on_progress)


def _ensure_company(name: str) -> None:
    try:
        get_entity(name)
    except UnknownEntityError:
        ensure_entity(name=name)
