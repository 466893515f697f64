"""Builds the indexes that the keyword engine pg_textsearch needs."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import ProgrammingError, connection

from retrieval.search.bm25 import (
    EXTENSION,
    index_name,
    index_statement,
    languages_in_use,
    missing_indexes,
)


class Command(BaseCommand):
    """`manage.py build_bm25`."""

    help = (
        "Build an index of words by the extension pg_textsearch for each language in use, while "
        "searches and writes go on; or remove them."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take whether to remove instead."""
        parser.add_argument("--drop", action="store_true", help="Remove the indexes.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Build what is missing, one language after another."""
        languages = languages_in_use()
        if options["drop"]:
            for language in languages:
                self._execute(f"DROP INDEX IF EXISTS {self._quoted(language)}")
            self.stdout.write(f"Removed: {', '.join(map(index_name, languages)) or 'none'}.")
            return
        if not self._has_extension():
            message = (
                f"The database has no extension {EXTENSION}. Install it on the server, then, as its"
                f" superuser: CREATE EXTENSION {EXTENSION};"
            )
            raise CommandError(message)
        missing = set(missing_indexes(languages))
        for language in languages:
            if index_name(language) in missing:
                self.stderr.write(f"Building {index_name(language)} ...")
                self._execute(f"DROP INDEX IF EXISTS {self._quoted(language)}")
                self._execute(index_statement(language))
        self.stdout.write(f"In place: {', '.join(map(index_name, languages)) or 'none'}.")

    def _quoted(self, language: str) -> str:
        return connection.ops.quote_name(index_name(language))

    def _has_extension(self) -> bool:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = %s)", [EXTENSION]
            )
            return bool(cursor.fetchone()[0])

    def _execute(self, statement: str) -> None:
        try:
            with connection.cursor() as cursor:
                cursor.execute(statement)
        except ProgrammingError as error:
            raise CommandError(str(error).strip()) from error
