"""Background work of retrieval: the only contact with the queue."""

from functools import partial
from typing import Any

from django.db import transaction
from django.utils import timezone
from django_q.tasks import async_task

from knowledge.embedding.registry import get_embedder
from knowledge.models import RunStatus
from retrieval.evaluation.golden_run import run_evaluation
from retrieval.models import EvaluationRun, RankingProfile
from retrieval.services import create_evaluation

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
