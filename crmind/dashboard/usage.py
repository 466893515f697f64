"""Searches and cache hits per day: counted from an index and from kept counts."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count
from django.db.models.functions import TruncDate
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format

from cachemgr.services import read_counts
from cachemgr.services.counting import REFUSED, SAID
from retrieval.admin.log import POOR
from retrieval.models import SearchLog
from retrieval.types import Verdict

DAYS = 30
HITS = frozenset({"exact", "semantic"})
WORDS = {
    Verdict.WEAK: "weak evidence",
    Verdict.CONFLICTING: "conflicting evidence",
    Verdict.NONE: "no evidence",
}
CHART_OPTIONS = {
    "maintainAspectRatio": False,
    "animation": False,
    "plugins": {"legend": {"display": True, "position": "bottom"}},
    "scales": {
        "x": {"grid": {"display": False}, "ticks": {"maxRotation": 0, "maxTicksLimit": 8}},
        "y": {"beginAtZero": True, "ticks": {"precision": 0}},
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """What was asked on a day, how much of it poorly answered, and look-ups in the cache."""

    day: date
    searches: int
    poor: int
    hits: int
    look_ups: int
    searches_link: str
    poor_link: str


def describe_usage(*, now: datetime) -> dict[str, Any]:
    """Return what was asked in the last days, how well it could be answered, and cache hits."""
    today = timezone.localtime(now).date()
    dates = [today - timedelta(days=back) for back in reversed(range(DAYS))]
    counts = _searches(dates[0])
    days = _days(dates, counts)
    verdicts: Counter[str] = Counter()
    for (_, verdict), count in counts.items():
        verdicts[verdict] += count
    total, asked = sum(day.searches for day in days), sum(day.look_ups for day in days)
    hits, poor = sum(day.hits for day in days), sum(day.poor for day in days)
    return {
        "days": DAYS,
        "searches": total,
        "searches_link": _searched(dates[0]),
        "poor": [
            {
                "label": words,
                "count": verdicts[verdict.value],
                "share": _percent(verdicts[verdict.value], total),
                "link": _searched(dates[0], verdict=verdict.value),
            }
            for verdict, words in WORDS.items()
        ],
        "poor_count": poor,
        "poor_share": _percent(poor, total),
        "poor_link": _searched(dates[0], verdict=POOR),
        "hits": hits,
        "look_ups": asked,
        "hit_share": _percent(hits, asked),
        "chart": _chart(days) if total or asked else "",
        "chart_options": json.dumps(CHART_OPTIONS),
        "by_day": [day for day in reversed(days) if day.searches or day.look_ups],
    }


def _searches(since: date) -> Counter[tuple[date, str]]:
    """Return the searches by day and verdict."""
    # Every verdict is named so that the index by verdict and date answers alone.
    rows = (
        SearchLog.objects.filter(created_at__gte=_beginning(since), verdict__in=list(Verdict))
        .order_by()
        .values_list(TruncDate("created_at"), "verdict")
        .annotate(count=Count("*"))
    )
    return Counter({(day, verdict): count for day, verdict, count in rows})


def _days(dates: list[date], counts: Mapping[tuple[date, str], int]) -> list[Day]:
    hits, look_ups = _cache(dates[0])
    searches: Counter[date] = Counter()
    poor: Counter[date] = Counter()
    for (day, verdict), count in counts.items():
        searches[day] += count
        poor[day] += 0 if verdict == Verdict.ANSWERABLE else count
    return [
        Day(
            day=day,
            searches=searches[day],
            poor=poor[day],
            hits=hits[day],
            look_ups=look_ups[day],
            searches_link=_searched(day, until=day),
            poor_link=_searched(day, until=day, verdict=POOR),
        )
        for day in dates
    ]


def _cache(since: date) -> tuple[Counter[date], Counter[date]]:
    """Return the hits and all look-ups of each day."""
    hits: Counter[date] = Counter()
    look_ups: Counter[date] = Counter()
    for each in read_counts(since=since):
        if each.outcome.startswith((REFUSED, SAID)):
            continue
        look_ups[each.day] += each.count
        if each.outcome in HITS:
            hits[each.day] += each.count
    return hits, look_ups


def _chart(days: list[Day]) -> str:
    return json.dumps(
        {
            "labels": [date_format(day.day, "j M") for day in days],
            "datasets": [
                {
                    "label": "Searches",
                    "data": [day.searches for day in days],
                    "backgroundColor": "var(--color-primary-600)",
                },
                {
                    "label": "Answers from the cache",
                    "data": [day.hits for day in days],
                    "backgroundColor": "var(--color-primary-300)",
                },
            ],
        }
    )


def _percent(part: int, whole: int) -> int:
    return round(100 * part / whole) if whole else 0


def _beginning(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, datetime.min.time()))


def _searched(since: date, *, until: date | None = None, verdict: str = "") -> str:
    """Return the list of what was asked from the beginning of a day to the end of another."""
    limits = {"created_at__gte": _beginning(since).isoformat()}
    if until is not None:
        limits["created_at__lt"] = _beginning(until + timedelta(days=1)).isoformat()
    if verdict:
        limits["verdict"] = verdict
    return f"{reverse('admin:retrieval_searchlog_changelist')}?{urlencode(limits)}"
