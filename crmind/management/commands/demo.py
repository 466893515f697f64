"""Loads the demo knowledge base and answers a question from it."""

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand

from crmind.bootstrap import prepare_database
from knowledge.demo.catalogue import load_catalogue


class Command(BaseCommand):
    """`manage.py demo`: from nothing to a ranked answer."""

    help = "Prepare the database, load the demo knowledge base and print a ranked answer."
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        """Prepare, ask, print."""
        prepare_database(report=self.stderr.write)
        question = load_catalogue().questions[0].text
        call_command("search", question, top_k=5, explain=True, stdout=self.stdout)
