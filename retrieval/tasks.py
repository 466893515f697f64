"""Background work of retrieval: the only contact with the queue."""

from datetime import timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.utils import timezone
from django_q.models import Schedule
from django_q.tasks import async_task

from knowledge.embedding.registry import get_embedder
from knowledge.models import RunStatus
from retrieval.evaluation.golden_run import run_evaluation
from retrieval.gaps.collecting import collect_gaps, tidy_up
from retrieval.models import EvaluationRun, RankingProfile
from retrieval.services import create_evaluation

NIGHTLY_GAPS = "Group unanswered questions"
NIGHT_HOUR = 2
LOTS_AT_ONCE = 20

ENDED = (RunStatus.DONE, RunStatus.FAILED, RunStatus.CANCELLED)


def enqueue_evaluation(profile_id: int, user_id: Any = None) -> int:
    """Ask the worker to evaluate a profile; return the id of the run, which waits until then."""
    profile = RankingProfile.objects.get(pk=profile_id)
    run = create_evaluation(profile=profile, user_id=user_id)
    # The worker would not find the run before it is committed.
    transaction.on_commit(partial(async_task, "retrieval.tasks.evaluate", run.pk))
    return run.pk


def evaluate(run_id: int) -> None:
    """Evaluate on the golden set; a run that has ended is left alone."""
    run = EvaluationRun.objects.filter(pk=run_id).exclude(status__in=ENDED).first()
    if run is not None:
        run_evaluation(run=run, embedder=get_embedder(), clock=timezone.now)


def enqueue_gaps() -> None:
    """Ask the worker to look for knowledge gaps now."""
    transaction.on_commit(partial(async_task, "retrieval.tasks.tend_gaps"))


def tend_gaps() -> None:
    """Delete old searches and group those that were poorly answered; twice is harmless."""
    tidy_up(now=timezone.now())
    for _ in range(LOTS_AT_ONCE):
        if not collect_gaps(embedder=get_embedder()).searches:
            break


def ensure_nightly_gaps() -> None:
    """Have the worker do so every night; a schedule that was changed stays as it is."""
    tonight = timezone.localtime().replace(hour=NIGHT_HOUR, minute=0, second=0, microsecond=0)
    is_past = tonight <= timezone.localtime()
    Schedule.objects.get_or_create(
        name=NIGHTLY_GAPS,
        defaults={
            "func": "retrieval.tasks.tend_gaps",
            "schedule_type": Schedule.DAILY,
            "next_run": tonight + timedelta(days=1) if is_past else tonight,
        },
    )
