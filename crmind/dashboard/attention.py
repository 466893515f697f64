"""What somebody should look at."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format

from knowledge.admin.run_page import BADGES as RUN_BADGES
from knowledge.models import IngestionRun, RunStatus, Source, SourceHealth

SHOWN_ROWS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Sources of one kind of trouble: how many, their list, and the first, with what is said."""

    label: str
    count: int
    link: str
    rows: tuple[tuple[Source, str], ...]


def sources_to_look_at() -> list[Group]:
    """Return the sources that fail wholly or in part, and those whose review is due."""
    failing = Source.objects.filter(health=SourceHealth.FAILING).order_by("name", "id")
    degraded = Source.objects.filter(health=SourceHealth.DEGRADED).order_by("name", "id")
    overdue = Source.objects.overdue(today=timezone.localdate()).order_by("review_by", "id")
    groups = [
        _group("Failing", failing, _fault, health__exact=SourceHealth.FAILING.value),
        _group(
            "With documents to look at",
            degraded,
            _fault,
            health__exact=SourceHealth.DEGRADED.value,
        ),
        _group("Due for review", overdue.select_related("owner"), _due, review="due"),
    ]
    return [group for group in groups if group.count]


def latest_runs() -> list[dict[str, Any]]:
    """Return the newest runs with their badges."""
    runs = IngestionRun.objects.select_related("source").order_by("-created_at", "-id")
    return [{"run": run, "badge": RUN_BADGES[RunStatus(run.status)]} for run in runs[:SHOWN_ROWS]]


def _group(label: str, sources: QuerySet[Any], say: Any, **limits: str) -> Group:
    return Group(
        label=label,
        count=sources.count(),
        link=f"{reverse('admin:knowledge_source_changelist')}?{urlencode(limits)}",
        rows=tuple((source, say(source)) for source in sources[:SHOWN_ROWS]),
    )


def _fault(source: Source) -> str:
    return source.health_reason or source.get_health_display()


def _due(source: Source) -> str:
    day = date_format(source.review_by, "j F Y") if source.review_by else ""
    return f"Should have been reviewed by {day}{f' ({source.owner})' if source.owner else ''}"
