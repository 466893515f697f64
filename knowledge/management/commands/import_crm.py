"""Takes accounts, contacts, deals and products of a CRM's exports in."""

import json
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from crmind.exceptions import CRMindError
from knowledge.ingestion.crm_columns import KINDS, parse_crm_mapping
from knowledge.management.progress import progress_bar
from knowledge.management.reports import attention
from knowledge.services.crm import (
    CrmFile,
    CrmLine,
    import_crm_file,
    preview_crm_files,
    read_crm_files,
)
from knowledge.services.gathering import Progress
from knowledge.services.types import Outcome

EXIT_WITH_FAILURES = 3
SHOWN_WARNINGS = 20
SHOWN_CHARACTERS = 60


class Command(BaseCommand):
    """`manage.py import_crm FILE... [--kind KIND] [--map FIELD=COLUMN]`."""

    help = (
        "Take the exports of a CRM (CSV, TSV, JSON lines) in as entities: accounts, contacts, deals"
        " and products. The headers of HubSpot and Salesforce are known. Safe to repeat."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the files and, where the headers do not tell, what they hold."""
        parser.add_argument("paths", nargs="+", type=Path, metavar="FILE")
        parser.add_argument("--kind", default="", choices=["", *KINDS], help="Of every line.")
        parser.add_argument(
            "--map",
            action="append",
            default=[],
            metavar="FIELD=COLUMN",
            help="Which column fills external_id, name, aliases, domains or parent.",
        )
        parser.add_argument("--dry-run", action="store_true", help="Only say what would happen.")
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")
        parser.add_argument("--allow-failures", action="store_true", help="Exit with 0 anyway.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Read everything first, then import and report."""
        try:
            mapping = parse_crm_mapping(options["map"])
            files = read_crm_files(options["paths"], kind=options["kind"], mapping=mapping)
        except CRMindError as error:
            raise CommandError(error.message) from error
        notes = [f"{file.path}: {each}" for file in files for each in file.table.warnings]
        lines = preview_crm_files(files) if options["dry_run"] else _import(files)
        if options["json"]:
            self.stdout.write(json.dumps(_record(lines, notes), ensure_ascii=False))
        else:
            for text in _report(lines, notes, is_preview=options["dry_run"]):
                self.stdout.write(text)
        if _failed(lines) and not options["allow_failures"]:
            sys.exit(EXIT_WITH_FAILURES)


def _import(files: Sequence[CrmFile]) -> list[CrmLine]:
    expected = sum(len(file.table.rows) for file in files)
    lines: list[CrmLine] = []
    with progress_bar() as show:
        for file in files:
            for line in import_crm_file(file):
                lines.append(line)
                show(Progress(seen=len(lines), expected=expected, current=line.name))
    return lines


def _failed(lines: Iterable[CrmLine]) -> list[CrmLine]:
    return [line for line in lines if line.outcome is Outcome.FAILED]


def _report(lines: Sequence[CrmLine], notes: Sequence[str], *, is_preview: bool) -> Iterable[str]:
    for note in notes:
        yield f"  note: {note}"
    warned = [(line, warning) for line in lines for warning in line.warnings]
    for line, warning in warned[:SHOWN_WARNINGS]:
        yield f"  {line.path}, line {line.line}, {_short(line.name)}: {warning}"
    if len(warned) > SHOWN_WARNINGS:
        yield f"  and {len(warned) - SHOWN_WARNINGS} more like these"
    for line in _failed(lines):
        yield f"  {line.path}, line {line.line}: {line.reason}"
    counts = Counter(line.outcome for line in lines)
    stored = len(lines) - counts[Outcome.FAILED]
    yield (
        f"{stored} {'would be imported' if is_preview else 'imported'},"
        f" {attention(counts[Outcome.FAILED])} ({counts[Outcome.ADDED]} added,"
        f" {counts[Outcome.UPDATED]} updated, {counts[Outcome.UNCHANGED]} unchanged)"
    )


def _short(name: str) -> str:
    return name if len(name) <= SHOWN_CHARACTERS else f"{name[: SHOWN_CHARACTERS - 1]}…"


def _record(lines: Sequence[CrmLine], notes: Sequence[str]) -> dict[str, Any]:
    counts = Counter(line.outcome for line in lines)
    return {
        "added": counts[Outcome.ADDED],
        "updated": counts[Outcome.UPDATED],
        "unchanged": counts[Outcome.UNCHANGED],
        "failed": counts[Outcome.FAILED],
        "lines": [
            {
                "path": str(line.path),
                "line": line.line,
                "name": line.name,
                "outcome": line.outcome,
                "reason": line.reason,
                "warnings": list(line.warnings),
            }
            for line in lines
            if line.reason or line.warnings
        ],
        "notes": list(notes),
    }
