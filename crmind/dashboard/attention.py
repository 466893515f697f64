"""What somebody should look at."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, Q, QuerySet
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
    overdue = Source.objects.overdue(today=timezone.localdate())
    wanted = (
        (
            "Failing",
            _of(SourceHealth.FAILING),
            _fault,
            {"health__exact": SourceHealth.FAILING.value},
        ),
        (
            "With documents to look at",
            _of(SourceHealth.DEGRADED),
            _fault,
            {"health__exact": SourceHealth.DEGRADED.value},
        ),
        ("Due for review", overdue.order_by("review_by", "id"), _due, {"review": "due"}),
    )
    counts = Source.objects.aggregate(
        **{
            f"group_{number}": Count("pk", filter=Q(pk__in=sources.order_by().values("pk")))
            for number, (_, sources, _, _) in enumerate(wanted)
        }
    )
    return [
        Group(
            label=label,
            count=counts[f"group_{number}"],
            link=f"{reverse('admin:knowledge_source_changelist')}?{urlencode(limits)}",
            rows=tuple(
                (source, say(source)) for source in sources.select_related("owner")[:SHOWN_ROWS]
            ),
        )
        for number, (label, sources, say, limits) in enumerate(wanted)
        if counts[f"group_{number}"]
    ]


def latest_runs() -> list[dict[str, Any]]:
    """Return the newest runs with their badges."""
    runs = IngestionRun.objects.select_related("source").order_by("-created_at", "-id")
    return [{"run": run, "badge": RUN_BADGES[RunStatus(run.status)]} for run in runs[:SHOWN_ROWS]]


def _of(health: SourceHealth) -> QuerySet[Any]:
    found: QuerySet[Any] = Source.objects.filter(health=health).order_by("name", "id")
    return found


def _fault(source: Source) -> str:
    return source.health_reason or source.get_health_display()


def _due(source: Source) -> str:
    day = date_format(source.review_by, "j F Y") if source.review_by else ""
    return f"Should have been reviewed by {day}{f' ({source.owner})' if source.owner else ''}"
