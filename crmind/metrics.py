"""Figures for Prometheus, in its text format, from the database: all processes share them."""

import secrets
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe
from django_q.brokers import get_broker
from django_q.models import Failure
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from cachemgr.services import read_counts
from cachemgr.services.counting import REFUSED, SAID
from knowledge.models import Document
from retrieval.models import SearchLog

SCHEME = "Bearer "

Family = type[CounterMetricFamily] | type[GaugeMetricFamily]


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Show the metrics to whoever brings METRICS_TOKEN; without one nothing is here."""
    token = settings.METRICS_TOKEN
    if not token:
        raise Http404
    given = request.headers.get("Authorization", "").removeprefix(SCHEME)
    if not secrets.compare_digest(given.encode(), token.encode()):
        return HttpResponse("Unknown token.\n", status=401, headers={"WWW-Authenticate": "Bearer"})
    registry = CollectorRegistry()
    registry.register(_Figures())
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_PLAIN_0_0_4)


class _Figures(Collector):
    """Reads everything anew for each request."""

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics."""
        return _metrics()


def _metric(
    family: Family, name: str, told: str, values: Mapping[str, float], *, label: str = ""
) -> Metric:
    """Return a metric; `values` by the value of its label, or by "" where it has none."""
    metric = family(name, told, labels=[label] if label else [])
    for value, figure in sorted(values.items()):
        metric.add_metric([value] if label else [], figure)
    return metric


def _metrics() -> Iterator[Metric]:
    yield from _cache_metrics()
    yesterday = timezone.now() - timedelta(days=1)
    yield _metric(
        GaugeMetricFamily,
        "crmind_searches_last_day",
        "Searches of the last 24 hours that were logged, by verdict.",
        _counts(SearchLog.objects.filter(created_at__gte=yesterday), "verdict"),
        label="verdict",
    )
    yield _metric(
        GaugeMetricFamily,
        "crmind_documents",
        "Documents by status.",
        _counts(Document.objects.all(), "status"),
        label="status",
    )
    yield _metric(
        GaugeMetricFamily,
        "crmind_queue_waiting",
        "Tasks that wait for the queue worker.",
        {"": get_broker().queue_size()},
    )
    yield _metric(
        GaugeMetricFamily,
        "crmind_queue_failed",
        "Tasks that failed and are still listed.",
        {"": Failure.objects.count()},
    )


def _cache_metrics() -> Iterator[Metric]:
    lookups: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    verdicts: Counter[str] = Counter()
    tokens_saved, money_saved = 0, 0.0
    for row in read_counts():
        tokens_saved += row.tokens_saved
        money_saved += row.money_saved
        if row.outcome.startswith(REFUSED):
            refused[row.outcome.removeprefix(REFUSED)] += row.count
        elif row.outcome.startswith(SAID):
            verdicts[row.outcome.removeprefix(SAID)] += row.count
        else:
            lookups[row.outcome] += row.count
    yield _metric(
        CounterMetricFamily,
        "crmind_cache_lookups_total",
        "Look-ups in the response cache: exact, semantic, or why it was a miss.",
        lookups,
        label="outcome",
    )
    yield _metric(
        CounterMetricFamily,
        "crmind_cache_answers_refused_total",
        "Answers that were not stored, by error code.",
        refused,
        label="code",
    )
    yield _metric(
        CounterMetricFamily,
        "crmind_cache_verdicts_total",
        "What readers said of cached answers.",
        verdicts,
        label="verdict",
    )
    yield _metric(
        CounterMetricFamily,
        "crmind_cache_tokens_saved_total",
        "Tokens that hits saved.",
        {"": tokens_saved},
    )
    yield _metric(
        CounterMetricFamily,
        "crmind_cache_money_saved_total",
        "What they would have cost, by the price of the settings.",
        {"": money_saved},
    )


def _counts(rows: Any, field: str) -> dict[str, float]:
    counted = rows.order_by().values_list(field).annotate(count=Count("*"))
    return {str(value): float(count) for value, count in counted}
