"""Whether the indexes are whole and the queue moves; sizes as the database estimates them."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import Max, Min
from django.urls import reverse
from django.utils.timesince import timesince
from django_q.brokers import get_broker
from django_q.models import Task

from knowledge.checks import check_text_index, check_vector_index
from knowledge.models import EmbeddingSpace, IngestionRun, RunStatus
from knowledge.services import find_active_space

PATIENCE = timedelta(minutes=2)
SIZES = """
select
    (select reltuples from pg_class where oid = to_regclass('knowledge_chunk')),
    (select reltuples from pg_class where oid = to_regclass(%s))
"""
# The estimates are renewed by ANALYZE only; smaller differences mean nothing.
NOTABLE = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One line: how it stands, and what to do."""

    label: str
    badge: str
    state: str
    text: str = ""
    link: str = ""


def describe_health(*, now: datetime) -> list[Fact]:
    """Return how index, vectors and queue stand."""
    space = find_active_space()
    return [_index(), _vectors(space), _queue(now)]


def _index() -> Fact:
    faults = [*check_vector_index(["default"]), *check_text_index(["default"])]
    if faults:
        words = " ".join(f"{fault.msg} {fault.hint or ''}" for fault in faults)
        return Fact(label="Indexes", badge="danger", state="Damaged", text=words)
    text = "Whole. manage.py check_index compares what they find with exact scans."
    return Fact(label="Indexes", badge="success", state="Valid", text=text)


def _vectors(space: EmbeddingSpace | None) -> Fact:
    link = reverse("admin:knowledge_embeddingspace_changelist")
    if space is None:
        text = "The first document that comes in makes the first vectors."
        return Fact(label="Vectors", badge="info", state="None yet", text=text, link=link)
    chunks, vectors = _sizes(space)
    if chunks <= 0:
        return Fact(
            label="Vectors", badge="success", state="Up to date", text=str(space), link=link
        )
    lacking = max(0, chunks - max(vectors, 0))
    if vectors >= 0 and lacking > NOTABLE * chunks:
        text = f"About {lacking:,} of {chunks:,} passages wait for their vectors of {space}."
        return Fact(label="Vectors", badge="warning", state="Behind", text=text, link=link)
    text = f"About {chunks:,} passages, by {space}."
    return Fact(label="Vectors", badge="success", state="Up to date", text=text, link=link)


def _sizes(space: EmbeddingSpace) -> tuple[int, int]:
    with connection.cursor() as cursor:
        cursor.execute(SIZES, [space.index_name])
        chunks, vectors = cursor.fetchone()
    return int(chunks or -1), int(-1 if vectors is None else vectors)


def _queue(now: datetime) -> Fact:
    waiting = int(get_broker().queue_size())
    oldest = _oldest_waiting()
    life = _last_sign_of_life()
    link = reverse("admin:knowledge_ingestionrun_changelist")
    is_stuck = oldest is not None and now - oldest > PATIENCE and (life is None or life < oldest)
    if is_stuck and oldest is not None:
        text = (
            f"{waiting} waiting, a run for {timesince(oldest, now)}, and no worker took anything"
            " since. Start one: manage.py qcluster."
        )
        return Fact(label="Queue", badge="danger", state="Stands still", text=text, link=link)
    if not waiting and oldest is None:
        seen = f" A worker was last seen {timesince(life, now)} ago." if life else ""
        return Fact(
            label="Queue", badge="success", state="Empty", text=f"Nothing waits.{seen}", link=link
        )
    text = f"{waiting} waiting" + (f", a run for {timesince(oldest, now)}." if oldest else ".")
    return Fact(label="Queue", badge="info", state="Working", text=text, link=link)


def _oldest_waiting() -> datetime | None:
    waiting = IngestionRun.objects.filter(status=RunStatus.WAITING)
    found: Any = waiting.aggregate(oldest=Min("created_at"))
    oldest: datetime | None = found["oldest"]
    return oldest


def _last_sign_of_life() -> datetime | None:
    """Return when a worker last ended a task or reported of a run."""
    stopped = Task.objects.aggregate(last=Max("stopped"))["last"]
    beat = IngestionRun.objects.filter(status=RunStatus.RUNNING).aggregate(
        last=Max("heartbeat_at")
    )["last"]
    signs = [moment for moment in (stopped, beat) if moment is not None]
    return max(signs, default=None)
