"""Documents by state, by source and by age: one statement, answered from an index."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, Q
from django.urls import reverse

from knowledge.admin.document_page import BADGES
from knowledge.admin.readers import only_readable
from knowledge.models import Document, DocumentStatus, Source

SHOWN_SOURCES = 8
AGES = (
    ("Up to a month", None, 30),
    ("Up to three months", 30, 90),
    ("Up to a year", 90, 365),
    ("Older", 365, None),
)
UNDATED = "Undated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A figure with its share of the largest one, in percent, and the list behind it.

    Of what is troubled the share stands beside that of the rest.
    """

    label: str
    count: int
    link: str
    width: int
    badge: str = ""
    troubled: int = 0
    troubled_width: int = 0
    trouble_link: str = ""


def describe_stock(user: Any, *, now: datetime) -> dict[str, Any]:
    """Return the documents that `user` may read by state, source and age."""
    rows = _grouped(user, now)
    return {
        "total": sum(row["documents"] for row in rows),
        "states": _states(rows),
        "sources": _sources(rows),
        "source_count": Source.objects.count(),
        "ages": _ages(rows, now),
    }


def _grouped(user: Any, now: datetime) -> list[dict[str, Any]]:
    """Return counts by source and state; of each, how many were published within each age."""
    ages = {
        f"age_{number}": Count("source", filter=_between(now, least, most))
        for number, (_, least, most) in enumerate(AGES)
    }
    undated = Count("source", filter=Q(published_at=None))
    readable = only_readable(Document.objects.order_by(), user)
    rows: Any = readable.values("source", "status")
    return list(rows.annotate(documents=Count("*"), undated=undated, **ages))


def _between(now: datetime, least: int | None, most: int | None) -> Q:
    limits = Q(published_at__isnull=False)
    if least is not None:
        limits &= Q(published_at__lt=now - timedelta(days=least))
    if most is not None:
        limits &= Q(published_at__gte=now - timedelta(days=most))
    return limits


def _states(rows: Iterable[dict[str, Any]]) -> list[Bar]:
    counts: Counter[str] = Counter()
    for row in rows:
        counts[row["status"]] += row["documents"]
    return [
        Bar(
            label=status.label,
            count=counts[status.value],
            link=_list(status__exact=status.value),
            width=0,
            badge=BADGES[status],
        )
        for status in DocumentStatus
    ]


def _sources(rows: Iterable[dict[str, Any]]) -> list[Bar]:
    counts: Counter[int] = Counter()
    troubled: Counter[int] = Counter()
    for row in rows:
        counts[row["source"]] += row["documents"]
        if row["status"] in {DocumentStatus.FAILED, DocumentStatus.NEEDS_ATTENTION}:
            troubled[row["source"]] += row["documents"]
    largest = sorted(counts, key=lambda key: (-counts[key], key))[:SHOWN_SOURCES]
    names = dict(Source.objects.filter(pk__in=largest).values_list("pk", "name"))
    most = max(counts.values(), default=1)
    return [
        Bar(
            label=names.get(key, ""),
            count=counts[key],
            link=_list(source__id__exact=key),
            width=round(100 * (counts[key] - troubled[key]) / most),
            troubled=troubled[key],
            troubled_width=math.ceil(100 * troubled[key] / most),
            trouble_link=_list(source__id__exact=key, trouble="yes"),
        )
        for key in largest
    ]


def _ages(rows: Iterable[dict[str, Any]], now: datetime) -> list[Bar]:
    """Return the documents that are ready by the age of their publication."""
    ready = [row for row in rows if row["status"] == DocumentStatus.READY]
    counts = [sum(row[f"age_{number}"] for row in ready) for number in range(len(AGES))]
    links = [_aged(now, least, most) for _, least, most in AGES]
    labels = [label for label, _, _ in AGES]
    undated = sum(row["undated"] for row in ready)
    state = {"status__exact": DocumentStatus.READY.value}
    shown = [
        *zip(labels, counts, links, strict=True),
        (UNDATED, undated, _list(**state, published_at__isnull="True")),
    ]
    most_of_all = max([*counts, undated, 1])
    return [
        Bar(label=label, count=count, link=link, width=round(100 * count / most_of_all))
        for label, count, link in shown
    ]


def _aged(now: datetime, least: int | None, most: int | None) -> str:
    limits = {"status__exact": DocumentStatus.READY.value}
    if least is not None:
        limits["published_at__lt"] = (now - timedelta(days=least)).isoformat()
    if most is not None:
        limits["published_at__gte"] = (now - timedelta(days=most)).isoformat()
    return _list(**limits)


def _list(**limits: Any) -> str:
    return f"{reverse('admin:knowledge_document_changelist')}?{urlencode(limits)}"
