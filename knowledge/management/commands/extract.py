"""`manage.py extract`: show what CRMind reads from files, without storing anything."""

import json
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand
from rich.console import Console
from rich.table import Table
from rich.text import Text

from knowledge.ingestion.extract import extract_file, extraction_record
from knowledge.ingestion.types import Extraction

_PREVIEW_CHARACTERS = 120
_STYLES = {"ok": "green", "no_text": "yellow", "refused": "red"}


class Command(BaseCommand):
    help = "Show the text, encoding and status of files as ingestion would read them."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument(
            "--json", action="store_true", dest="as_json", help="print one JSON line for each file"
        )

    def handle(self, *args: Any, files: list[Path], as_json: bool, **options: Any) -> None:
        extractions = ((path, extract_file(path)) for path in files)
        if as_json:
            for path, extraction in extractions:
                self.stdout.write(json.dumps(extraction_record(path, extraction)))
        else:
            self._print_table(extractions)

    def _print_table(self, extractions: Iterable[tuple[Path, Extraction]]) -> None:
        table = Table(show_lines=True)
        for heading in ("File", "Status", "Encoding", "Characters", "Text or reason"):
            table.add_column(heading, justify="right" if heading == "Characters" else "left")
        counts: Counter[str] = Counter()
        for path, extraction in extractions:
            status = extraction.status.value
            counts[status] += 1
            table.add_row(
                Text(path.name),
                Text(status, style=_STYLES[status]),
                Text(extraction.encoding or extraction.mime_type),
                str(len(extraction.text)),
                Text(_summary(extraction)),
            )
        console = Console(file=self.stdout)  # type: ignore[arg-type]  # OutputWrapper writes text
        console.print(table)
        console.print(", ".join(f"{count} {status}" for status, count in counts.items()))


def _summary(extraction: Extraction) -> str:
    preview = " ".join(extraction.text[: _PREVIEW_CHARACTERS * 2].split())[:_PREVIEW_CHARACTERS]
    return "\n".join((extraction.reason or preview, *(f"! {note}" for note in extraction.warnings)))
