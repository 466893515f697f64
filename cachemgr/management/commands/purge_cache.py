"""`manage.py purge_cache`: delete cached answers that are no longer served, or all of them."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from cachemgr.services import Purge, purge
from knowledge.exceptions import UnknownSourceError
from knowledge.services import get_source

EVERYTHING = "Every cached answer will be deleted. Type yes to go on: "


class Command(BaseCommand):
    help = "Delete expired and withdrawn answers, or those of one source, or all."

    def add_arguments(self, parser: CommandParser) -> None:
        which = parser.add_mutually_exclusive_group()
        which.add_argument(
            "--expired",
            action="store_true",
            help="what has expired or was withdrawn, and store keys past their time (the default)",
        )
        which.add_argument("--all", action="store_true", help="every answer and every store key")
        which.add_argument(
            "--source", default="", metavar="NAME", help="every answer that cites this source"
        )
        parser.add_argument("--yes", action="store_true", help="do not ask before --all")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["all"] and not options["yes"] and not _is_confirmed():
            message = "Nothing was deleted. Answer yes, or give --yes."
            raise CommandError(message)
        result = _purge(everything=options["all"], source=options["source"])
        self.stdout.write(
            f"Deleted {result.responses} cached answers and {result.store_keys} store keys."
        )


def _is_confirmed() -> bool:
    """Ask whoever sits there; a script cannot answer."""
    try:
        return input(EVERYTHING).strip().lower() == "yes"
    except EOFError:
        return False


def _purge(*, everything: bool, source: str) -> Purge:
    try:
        source_id = get_source(source).pk if source else None
    except UnknownSourceError as error:
        raise CommandError(error.message) from error
    return purge(now=timezone.now(), everything=everything, source_id=source_id)
