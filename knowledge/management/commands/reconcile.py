"""Finds work that lost its worker or its task, and sees to it that it comes to an end."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from knowledge.tasks import reconcile


class Command(BaseCommand):
    """`manage.py reconcile`."""

    help = (
        "Set back runs whose worker died, fail documents that workers died of, and queue what waits"
        " without a task. The queue worker does so by itself, every few seconds."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the form of the report."""
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Look once and report."""
        counts = reconcile().counts
        if options["json"]:
            self.stdout.write(json.dumps(counts))
            return
        self.stdout.write(
            f"{counts['to_queue']} runs queued, {counts['set_back']} set back,"
            f" {counts['runs_failed']} failed; documents: {counts['documents_failed']} failed,"
            f" {counts['documents_requeued']} to be indexed,"
            f" {counts['leases_ended']} left as they were"
        )
