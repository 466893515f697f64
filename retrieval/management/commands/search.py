"""Searches the knowledge base from the shell."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from datetime import date, datetime
from typing import Any, TextIO, cast

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from rich.console import Console
from rich.markup import escape

from crmind.exceptions import CRMindError
from knowledge.models import EVERYONE
from knowledge.services.validation import checked_access_tags
from retrieval.explain import describe_duplicates, explain_receipt
from retrieval.pipeline import search
from retrieval.query.moments import Moment, parse_moment
from retrieval.query.parse import SearchRequest, as_of_moment
from retrieval.query.steps import NO_STEP, Step, steps_without
from retrieval.types import Hit, SearchResult
from retrieval.why_not import WantedDocument, why_not

SNIPPET_LENGTH = 240
LONGEST_ID = 19


class Command(BaseCommand):
    """`manage.py search "question"`."""

    help = "Search and print ranked passages with a verdict on them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the question and what it is limited to."""
        parser.add_argument("question")
        parser.add_argument("--top-k", type=int, default=10, metavar="N", help="1 to 100.")
        parser.add_argument("--profile", default="", metavar="NAME", help="Ranking profile.")
        parser.add_argument("--entity", default="", metavar="NAME", help="What it is about.")
        parser.add_argument("--type", action="append", default=[], metavar="SLUG")
        parser.add_argument("--source", action="append", default=[], metavar="NAME")
        parser.add_argument("--since", metavar="D", help="First day or instant of publication.")
        parser.add_argument("--until", metavar="D", help="Last day or instant of publication.")
        parser.add_argument(
            "--tags", default="", metavar="A,B", help="Access tags of the reader, beside everyone."
        )
        parser.add_argument("--as-of", metavar="D", help="Ask as if it were then.")
        parser.add_argument(
            "--literal", action="store_true", help="Look the question up as it stands."
        )
        parser.add_argument(
            "--without",
            action="append",
            default=[],
            choices=[step.value for step in Step],
            metavar="STEP",
            help=f"Leave a step of understanding out: {', '.join(Step)}. May be repeated.",
        )
        parser.add_argument(
            "--why-not",
            default="",
            metavar="DOCUMENT",
            help="Say why this document (its id or external id) is not there, instead.",
        )
        parser.add_argument("--explain", action="store_true", help="Say how each score came about.")
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Search and report."""
        tags = [tag.strip() for tag in options["tags"].split(",") if tag.strip()]
        readers = frozenset([*tags, EVERYONE])
        try:
            if tags:
                checked_access_tags(tags)
            if options["why_not"]:
                self._say_why_not(options, readers)
                return
            result = search(
                _request(options),
                reader_tags=readers,
                now=timezone.now(),
                origin="command",
            )
        except CRMindError as error:
            raise CommandError(error.message) from error
        if options["json"]:
            self.stdout.write(json.dumps(result_record(result), default=_plain))
            return
        console = Console(file=cast("TextIO", self.stdout), highlight=False, soft_wrap=True)
        print_result(result, console=console, explain=options["explain"])

    def _say_why_not(self, options: dict[str, Any], readers: frozenset[str]) -> None:
        told = why_not(
            _request(options),
            _wanted(options["why_not"]),
            reader_tags=readers,
            now=timezone.now(),
            knows_all=True,
        )
        if options["json"]:
            self.stdout.write(json.dumps(asdict(told)))
            return
        self.stdout.write(f"{told.title or told.external_id} ({told.source_name})")
        for reason in told.reasons:
            self.stdout.write(f"  {reason}")


def result_record(result: SearchResult) -> dict[str, Any]:
    """Return the result as `search --json` prints it: named as in the API."""
    return {
        "question": result.query.question,
        "as_of": result.query.as_of,
        "profile": result.profile,
        "judgment": asdict(result.judgment),
        "hits": [
            {
                "rank": hit.rank,
                "score": hit.score,
                **asdict(hit.evidence),
                "receipt": asdict(hit.receipt),
                "duplicates": [asdict(duplicate) for duplicate in hit.duplicates],
            }
            for hit in result.hits
        ],
        "interpretation": dict(result.interpretation),
        "exact": dict(result.exact),
        "complete": result.is_complete,
        "degraded": result.is_degraded,
        "warnings": result.warnings,
        "timings_ms": dict(result.timings_ms),
    }


def print_result(result: SearchResult, *, console: Console, explain: bool) -> None:
    """Print the verdict and the hits, each with its receipt in words if `explain`."""
    for warning in result.warnings:
        console.print(f"[yellow]{escape(warning)}[/]")
    judgment = result.judgment
    console.print(f"[bold]{judgment.verdict}[/]  {escape(' '.join(judgment.reasons))}\n")
    for hit in result.hits:
        _print_hit(hit, console=console, explain=explain)


def _print_hit(hit: Hit, *, console: Console, explain: bool) -> None:
    evidence = hit.evidence
    title = " ".join((evidence.title or evidence.external_id).split())
    when = evidence.published_at.date().isoformat() if evidence.published_at else "undated"
    origin = f"{evidence.source_name} · {evidence.source_type_label} · {when}"
    console.print(f"{hit.rank:>3}  {hit.score:.3f}  [bold]{escape(title)}[/]")
    console.print(f"            [dim]{escape(origin)}[/]")
    console.print(f"            {escape(_snippet(evidence.text))}")
    if hit.duplicates:
        console.print(f"            [dim]{escape(describe_duplicates(hit.duplicates))}[/]")
    if explain:
        for line in explain_receipt(hit.receipt):
            console.print(f"              [cyan]{escape(line)}[/]")
    console.print()


def _snippet(text: str) -> str:
    plain = " ".join(text.split())
    if len(plain) <= SNIPPET_LENGTH:
        return plain
    return plain[:SNIPPET_LENGTH].rsplit(" ", 1)[0] + " …"


def _wanted(name: str) -> WantedDocument:
    if name.isascii() and name.isdecimal() and len(name) < LONGEST_ID:
        return WantedDocument(document_id=int(name))
    return WantedDocument(external_id=name)


def _request(options: dict[str, Any]) -> SearchRequest:
    return SearchRequest(
        question=options["question"],
        entity=options["entity"],
        types=tuple(options["type"]),
        sources=tuple(options["source"]),
        since=_moment(options["since"], field="since"),
        until=_moment(options["until"], field="until"),
        as_of=as_of_moment(_moment(options["as_of"], field="as_of")),
        top_k=options["top_k"],
        profile=options["profile"],
        steps=NO_STEP if options["literal"] else steps_without(options["without"]),
    )


def _moment(text: str | None, *, field: str) -> Moment | None:
    return None if text is None else parse_moment(text, field=field)


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, date | datetime) else str(value)
