"""Whether the indexes are whole and the queue moves; sizes as the database estimates them."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Max, Min, Q
from django.urls import reverse
from django.utils.timesince import timesince
from django_q.brokers import get_broker
from django_q.models import Task

from crmind.dashboard.facts import Fact
from crmind.dashboard.recall import describe_recall
from knowledge.checks import check_text_index, check_vector_index
from knowledge.models import EmbeddingSpace, IngestionRun, RunStatus
from knowledge.services import find_active_space
from knowledge.services.space_tally import tally_passages, tally_vectors

PATIENCE = timedelta(minutes=2)
RECENTLY = timedelta(days=1)
# Estimates are renewed now and then; smaller differences mean nothing.
NOTABLE = 0.02


def describe_health(*, now: datetime) -> list[Fact]:
    """Return how index, vectors and queue stand."""
    space = find_active_space()
    facts = [_index(), _vectors(space), _queue(now)]
    return facts if space is None else [facts[0], describe_recall(space, now=now), *facts[1:]]


def _index() -> Fact:
    faults = [*check_vector_index(["default"]), *check_text_index(["default"])]
    if faults:
        words = " ".join(f"{fault.msg} {fault.hint or ''}" for fault in faults)
        return Fact(label="Indexes", badge="danger", state="Damaged", text=words)
    return Fact(label="Indexes", badge="success", state="Valid", text="All are there and whole.")


def _vectors(space: EmbeddingSpace | None) -> Fact:
    link = reverse("admin:knowledge_embeddingspace_changelist")
    if space is None:
        text = "The first document that comes in makes the first vectors."
        return Fact(label="Vectors", badge="info", state="None yet", text=text, link=link)
    passages = tally_passages()
    vectors = tally_vectors([space], passages)[space.pk]
    lacking = max(0, passages.count - vectors.count)
    if lacking > NOTABLE * passages.count:
        text = f"About {lacking:,} of {passages} passages wait for their vectors of {space}."
        return Fact(label="Vectors", badge="warning", state="Behind", text=text, link=link)
    text = f"{str(passages).capitalize()} passages, by {space}."
    return Fact(label="Vectors", badge="success", state="Up to date", text=text, link=link)


def _queue(now: datetime) -> Fact:
    waiting = int(get_broker().queue_size())
    oldest = _oldest_waiting()
    lately = Q(success=False, stopped__gte=now - RECENTLY)
    tasks = Task.objects.aggregate(stopped_last=Max("stopped"), failed=Count("pk", filter=lately))
    life = _last_sign_of_life(tasks)
    link = _runs() if oldest is None else _runs(RunStatus.WAITING)
    is_stuck = oldest is not None and now - oldest > PATIENCE and (life is None or life < oldest)
    if is_stuck and oldest is not None:
        text = (
            f"{waiting} waiting, a run for {timesince(oldest, now)}, and no worker took anything"
            " since. Start one: manage.py qcluster."
        )
        return Fact(label="Queue", badge="danger", state="Stands still", text=text, link=link)
    failed = _failures(tasks["failed"])
    if not waiting and oldest is None:
        seen = f" A worker was last seen {timesince(life, now)} ago." if life else ""
        badge = "warning" if failed else "success"
        text = f"Nothing waits.{seen}{failed}"
        return Fact(label="Queue", badge=badge, state="Empty", text=text, link=link)
    text = f"{waiting} waiting" + (f", a run for {timesince(oldest, now)}." if oldest else ".")
    badge = "warning" if failed else "info"
    return Fact(label="Queue", badge=badge, state="Working", text=f"{text}{failed}", link=link)


def _runs(status: str = "") -> str:
    base = reverse("admin:knowledge_ingestionrun_changelist")
    return f"{base}?status__exact={status}" if status else base


def _oldest_waiting() -> datetime | None:
    waiting = IngestionRun.objects.filter(status=RunStatus.WAITING)
    found: Any = waiting.aggregate(oldest=Min("created_at"))
    oldest: datetime | None = found["oldest"]
    return oldest


def _last_sign_of_life(tasks: Mapping[str, Any]) -> datetime | None:
    """Return when a worker last ended a task or reported of a run."""
    running = IngestionRun.objects.filter(status=RunStatus.RUNNING)
    signs = (tasks["stopped_last"], running.aggregate(last=Max("heartbeat_at"))["last"])
    return max((moment for moment in signs if moment is not None), default=None)


def _failures(count: int) -> str:
    if not count:
        return ""
    tasks = "1 task" if count == 1 else f"{count:,} tasks"
    return f" {tasks} failed in the last day: see the log of the worker."
