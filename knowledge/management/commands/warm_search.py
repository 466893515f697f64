"""Reads what searches use into the memory of the database."""

from typing import Any

from django.core.management.base import BaseCommand

from knowledge.services.warming import warm_search

MEGABYTE = 1 << 20


class Command(BaseCommand):
    """`manage.py warm_search`."""

    help = (
        "Read the indexes and the passages into the memory of the database, so that the first "
        "searches after a restart are as fast as later ones."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Read, and tell what."""
        read = warm_search()
        for name, size in read.items():
            self.stdout.write(f"{name}: {-(-size // MEGABYTE)} MB")
        if not read:
            self.stdout.write(
                "Nothing was read: nothing is embedded yet, the database has no extension"
                " pg_prewarm, or its shared_buffers are too small."
            )
