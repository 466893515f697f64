"""`manage.py purge_searches`: delete old entries of the search log."""

from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from retrieval.conf import retrieval_settings
from retrieval.services import purge_searches

MOST_DAYS = 36_500


class Command(BaseCommand):
    help = "Delete what was asked longer ago than the log is kept."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--days",
            type=int,
            metavar="N",
            help="keep the last N days; 0 deletes all (default: the setting SEARCH_LOG_DAYS)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        days = retrieval_settings().search_log_days if options["days"] is None else options["days"]
        if not 0 <= days <= MOST_DAYS:
            message = f"--days is {days}; it may be 0 to {MOST_DAYS:,}."
            raise CommandError(message)
        deleted = purge_searches(before=timezone.now() - timedelta(days=days))
        searches = "search" if deleted == 1 else "searches"
        self.stdout.write(f"Deleted {deleted} {searches} from the log.")
