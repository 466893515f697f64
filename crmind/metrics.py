"""Figures for Prometheus, in its text format, from the database: all processes share them."""

import secrets
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal

from django.conf import settings
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe
from django_q.brokers import get_broker
from django_q.models import Failure

from cachemgr.services import read_counts
from cachemgr.services.counting import REFUSED, SAID
from knowledge.models import Document
from retrieval.models import SearchLog

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SCHEME = "Bearer "


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One metric; `values` by the value of its label, or by "" where it has none."""

    name: str
    kind: Literal["counter", "gauge"]
    help: str
    values: Mapping[str, float]
    label: str = ""


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Show the metrics to whoever brings METRICS_TOKEN; without one nothing is here."""
    token = settings.METRICS_TOKEN
    if not token:
        raise Http404
    given = request.headers.get("Authorization", "").removeprefix(SCHEME)
    if not secrets.compare_digest(given.encode(), token.encode()):
        return HttpResponse("Unknown token.\n", status=401, headers={"WWW-Authenticate": "Bearer"})
    return HttpResponse("".join(map(render, _metrics())), content_type=CONTENT_TYPE)


def render(metric: Metric) -> str:
    """Return a metric in the text format of Prometheus."""
    lines = [f"# HELP {metric.name} {metric.help}", f"# TYPE {metric.name} {metric.kind}"]
    for value, figure in sorted(metric.values.items()):
        label = f'{{{metric.label}="{_escape(value)}"}}' if metric.label else ""
        lines.append(f"{metric.name}{label} {figure:g}")
    return "\n".join(lines) + "\n"


def _metrics() -> Iterator[Metric]:
    yield from _cache_metrics()
    yesterday = timezone.now() - timedelta(days=1)
    yield Metric(
        name="crmind_searches_last_day",
        kind="gauge",
        help="Searches of the last 24 hours that were logged, by verdict.",
        label="verdict",
        values=_counts(SearchLog.objects.filter(created_at__gte=yesterday), "verdict"),
    )
    yield Metric(
        name="crmind_documents",
        kind="gauge",
        help="Documents by status.",
        label="status",
        values=_counts(Document.objects.all(), "status"),
    )
    yield Metric(
        name="crmind_queue_waiting",
        kind="gauge",
        help="Tasks that wait for the queue worker.",
        values={"": get_broker().queue_size()},
    )
    yield Metric(
        name="crmind_queue_failed",
        kind="gauge",
        help="Tasks that failed and are still listed.",
        values={"": Failure.objects.count()},
    )


def _cache_metrics() -> Iterator[Metric]:
    lookups: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    verdicts: Counter[str] = Counter()
    tokens_saved = 0
    for row in read_counts():
        tokens_saved += row.tokens_saved
        if row.outcome.startswith(REFUSED):
            refused[row.outcome.removeprefix(REFUSED)] += row.count
        elif row.outcome.startswith(SAID):
            verdicts[row.outcome.removeprefix(SAID)] += row.count
        else:
            lookups[row.outcome] += row.count
    yield Metric(
        name="crmind_cache_lookups_total",
        kind="counter",
        help="Look-ups in the response cache: exact, semantic, or why it was a miss.",
        label="outcome",
        values=lookups,
    )
    yield Metric(
        name="crmind_cache_answers_refused_total",
        kind="counter",
        help="Answers that were not stored, by error code.",
        label="code",
        values=refused,
    )
    yield Metric(
        name="crmind_cache_verdicts_total",
        kind="counter",
        help="What readers said of cached answers.",
        label="verdict",
        values=verdicts,
    )
    yield Metric(
        name="crmind_cache_tokens_saved_total",
        kind="counter",
        help="Tokens that hits saved.",
        values={"": tokens_saved},
    )


def _counts(rows: Any, field: str) -> dict[str, float]:
    counted = rows.order_by().values_list(field).annotate(count=Count("*"))
    return {str(value): float(count) for value, count in counted}


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
