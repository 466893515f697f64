"""Counts what became of questions, per day."""

from datetime import datetime
from functools import lru_cache
from pathlib import Path

from django.db import connection
from django.utils import timezone

_STATEMENT = Path(__file__).parent.parent / "sql" / "count_outcome.sql"


def count_outcome(outcome: str, *, now: datetime, tokens_saved: int = 0) -> None:
    """Add one to the count of `outcome` on the local day of `now`, in one statement."""
    day = timezone.localtime(now).date()
    with connection.cursor() as cursor:
        cursor.execute(_statement(), {"day": day, "outcome": outcome, "tokens_saved": tokens_saved})


@lru_cache(maxsize=1)
def _statement() -> str:
    return _STATEMENT.read_text(encoding="utf-8")
