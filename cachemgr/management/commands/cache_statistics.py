"""`manage.py cache_statistics`: what the response cache did, day by day."""

import json
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from cachemgr.services import OutcomeCount, read_counts

MOST_DAYS = 36_500


class Command(BaseCommand):
    help = "Show hits, misses and refusals of the response cache per day, and what hits saved."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--days", type=int, default=7, metavar="N", help="the last N days")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        days = options["days"]
        if not 1 <= days <= MOST_DAYS:
            message = f"--days is {days}; it may be 1 to {MOST_DAYS:,}."
            raise CommandError(message)
        counts = read_counts(since=timezone.localdate() - timedelta(days=days - 1))
        if options["json"]:
            self.stdout.write(json.dumps({"counts": [_as_json(row) for row in counts]}))
            return
        for row in counts:
            self.stdout.write(_line(row))
        if not counts:
            self.stdout.write("Nothing was asked.")


def _as_json(row: OutcomeCount) -> dict[str, Any]:
    return {**asdict(row), "day": row.day.isoformat(), "money_saved": row.money_saved}


def _line(row: OutcomeCount) -> str:
    saved = f"  {row.tokens_saved:,} tokens" if row.tokens_saved else ""
    money = f", {row.money_saved:,.2f}" if row.money_saved else ""
    return f"{row.day}  {row.outcome:24} {row.count:>8,}{saved}{money}"
