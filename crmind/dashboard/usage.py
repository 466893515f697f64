"""Searches and cache hits per day: counted from an index and from kept counts."""

import json
from collections import Counter
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
from retrieval.models import SearchLog
from retrieval.types import Verdict

DAYS = 30
HITS = frozenset({"exact", "semantic"})
POOR = (Verdict.WEAK, Verdict.CONFLICTING, Verdict.NONE)
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


def describe_usage(*, now: datetime) -> dict[str, Any]:
    """Return what was asked in the last days, how well it could be answered, and cache hits."""
    today = timezone.localtime(now).date()
    days = [today - timedelta(days=back) for back in reversed(range(DAYS))]
    searches, verdicts = _searches(days[0])
    hits, look_ups = _cache(days[0])
    total, asked = sum(verdicts.values()), sum(look_ups.values())
    return {
        "days": DAYS,
        "searches": total,
        "searches_link": _searched(days[0]),
        "poor": [
            {
                "label": WORDS[verdict],
                "count": verdicts[verdict.value],
                "share": _percent(verdicts[verdict.value], total),
                "link": _searched(days[0], verdict=verdict.value),
            }
            for verdict in POOR
        ],
        "poor_share": _percent(sum(verdicts[verdict.value] for verdict in POOR), total),
        "hits": sum(hits.values()),
        "look_ups": asked,
        "hit_share": _percent(sum(hits.values()), asked),
        "chart": _chart(days, searches, hits) if total or asked else "",
        "chart_options": json.dumps(CHART_OPTIONS),
    }


def _searches(since: date) -> tuple[Counter[date], Counter[str]]:
    beginning = timezone.make_aware(datetime.combine(since, datetime.min.time()))
    rows = (
        SearchLog.objects.filter(created_at__gte=beginning, verdict__in=list(Verdict))
        .order_by()
        .values_list(TruncDate("created_at"), "verdict")
        .annotate(count=Count("*"))
    )
    by_day: Counter[date] = Counter()
    by_verdict: Counter[str] = Counter()
    for day, verdict, count in rows:
        by_day[day] += count
        by_verdict[verdict] += count
    return by_day, by_verdict


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


def _chart(days: list[date], searches: Counter[date], hits: Counter[date]) -> str:
    return json.dumps(
        {
            "labels": [date_format(day, "j M") for day in days],
            "datasets": [
                {
                    "label": "Searches",
                    "data": [searches[day] for day in days],
                    "backgroundColor": "var(--color-primary-600)",
                },
                {
                    "label": "Answers from the cache",
                    "data": [hits[day] for day in days],
                    "backgroundColor": "var(--color-primary-300)",
                },
            ],
        }
    )


def _percent(part: int, whole: int) -> int:
    return round(100 * part / whole) if whole else 0


def _searched(since: date, **limits: str) -> str:
    beginning = timezone.make_aware(datetime.combine(since, datetime.min.time()))
    query = urlencode({"created_at__gte": beginning.isoformat(), **limits})
    return f"{reverse('admin:retrieval_searchlog_changelist')}?{query}"
