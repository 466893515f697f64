"""Creates what every installation starts from."""

from typing import Any

from django.core.management.base import BaseCommand

from crmind.bootstrap import seed


class Command(BaseCommand):
    """`manage.py seed`: source types, ranking profiles and roles; keeps edits made since."""

    help = "Create source types, ranking profiles and roles that are missing; keeps edits."

    def handle(self, *args: Any, **options: Any) -> None:
        """Seed."""
        seed()
        self.stdout.write("Source types, ranking profiles and roles are in place.")
