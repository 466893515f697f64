"""Loads the demo knowledge base."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from crmind.exceptions import CRMindError
from knowledge.demo.catalogue import load_catalogue
from knowledge.demo.load import load_demo
from knowledge.embedding.registry import get_embedder, get_tokenizer
from knowledge.management.progress import progress_bar
from knowledge.services import Outcome
from knowledge.services.ingest import Tools

EXIT_WITH_FAILURES = 3


class Command(BaseCommand):
    """`manage.py load_demo`; loading it again changes nothing."""

    help = "Load the demo knowledge base: invented companies, people, documents and tickets."

    def handle(self, *args: Any, **options: Any) -> None:
        """Load and report."""
        tools = Tools(embedder=get_embedder(), tokenizer=get_tokenizer(), now=timezone.now())
        try:
            catalogue = load_catalogue()
            with progress_bar() as on_progress:
                load = load_demo(catalogue=catalogue, tools=tools, on_progress=on_progress)
        except CRMindError as error:
            raise CommandError(error.message) from error
        failed = [report for summary in load.summaries for report in summary.failed]
        for report in failed:
            self.stdout.write(f"  {report.path}: {report.outcome.reason}")
        added, updated, unchanged = map(
            load.count, (Outcome.ADDED, Outcome.UPDATED, Outcome.UNCHANGED)
        )
        self.stdout.write(
            f"Demo: {len(load.summaries)} sources, {len(catalogue.entities)} entities,"
            f" {added + updated + unchanged} documents"
            f" ({added} added, {updated} updated, {unchanged} unchanged)."
        )
        if failed:
            sys.exit(EXIT_WITH_FAILURES)
