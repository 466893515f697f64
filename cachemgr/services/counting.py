"""Counts what became of questions, per day."""

from datetime import datetime

from django.db import connection
from django.utils import timezone

from cachemgr.sql import statement


def count_outcome(outcome: str, *, now: datetime, tokens_saved: int = 0) -> None:
    """Add one to the count of `outcome` on the local day of `now`, in one statement."""
    day = timezone.localtime(now).date()
    with connection.cursor() as cursor:
        cursor.execute(
            statement("count_outcome"),
            {"day": day, "outcome": outcome, "tokens_saved": tokens_saved},
        )
