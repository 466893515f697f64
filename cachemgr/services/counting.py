"""Counts what became of questions and answers, per day.

Each outcome is a row of its own, so that no two requests wait for one counter; from time to time
the rows are added up.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from django.db import connection
from django.db.models import Count, Sum
from django.utils import timezone

from cachemgr.conf import cache_settings
from cachemgr.models import CacheEvent, CacheStatistic
from cachemgr.sql import statement

EVENTS_PER_STATEMENT = 20_000

# How outcomes begin that are no look-ups.
REFUSED = "refused_"
SAID = "said_"


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeCount:
    """How often something came out on a day; `money_saved` by the price of the settings."""

    day: date
    outcome: str
    count: int
    tokens_saved: int

    @property
    def money_saved(self) -> float:
        return self.tokens_saved / 1_000 * cache_settings().price_per_1000_tokens


def count_outcome(
    outcome: str, *, now: datetime, tokens_saved: int = 0, response_id: UUID | None = None
) -> None:
    """Count `outcome` on the local day of `now`; with the answer that was served."""
    CacheEvent.objects.create(
        at=now,
        day=timezone.localtime(now).date(),
        outcome=outcome,
        response_id=response_id,
        tokens_saved=tokens_saved,
    )


def add_up_events() -> int:
    """Add the events up, and delete them; return how many there were."""
    total = 0
    while count := _add_up():
        total += count
    return total


def read_counts(*, since: date | None = None) -> list[OutcomeCount]:
    """Return what came out each day, newest day first; added up or not."""
    counts: Counter[tuple[date, str]] = Counter()
    tokens: Counter[tuple[date, str]] = Counter()
    for day, outcome, count, tokens_saved in _rows(since):
        counts[day, outcome] += count
        tokens[day, outcome] += tokens_saved
    ordered = sorted(counts, key=lambda key: (-key[0].toordinal(), key[1]))
    return [
        OutcomeCount(
            day=day,
            outcome=outcome,
            count=counts[day, outcome],
            tokens_saved=tokens[day, outcome],
        )
        for day, outcome in ordered
    ]


def _rows(since: date | None) -> Iterable[tuple[date, str, int, int]]:
    # One statement: what is being added up meanwhile is neither missed nor counted twice.
    events = CacheEvent.objects.order_by().values("day", "outcome")
    pending = events.annotate(n=Count("*"), saved=Sum("tokens_saved"))
    added_up = CacheStatistic.objects.order_by()
    if since is not None:
        pending = pending.filter(day__gte=since)
        added_up = added_up.filter(day__gte=since)
    return added_up.values_list("day", "outcome", "count", "tokens_saved").union(
        pending.values_list("day", "outcome", "n", "saved"), all=True
    )


def _add_up() -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement("add_up_events"), {"count": EVENTS_PER_STATEMENT})
        (count,) = cursor.fetchone()
    return int(count)
