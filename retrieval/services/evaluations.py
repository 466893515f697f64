"""Writes of evaluation runs: their progress, figures and end."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from crmind.exceptions import ConflictError
from knowledge.models import RunStatus
from retrieval.models import EvaluationRun, RankingProfile

GOLDEN_SET = "golden set"


class EvaluationCancelledError(ConflictError):
    """Somebody asked for the evaluation to stop."""

    code = "evaluation_cancelled"


def create_evaluation(*, profile: RankingProfile, user_id: Any = None) -> EvaluationRun:
    """Add an evaluation on the golden set that waits to be started."""
    return EvaluationRun.objects.create(
        dataset=GOLDEN_SET,
        profile=profile,
        profile_version=profile.version,
        status=RunStatus.WAITING,
        requested_by_id=user_id,
    )


@transaction.atomic
def start_evaluation(*, run: EvaluationRun, expected: int, now: datetime) -> EvaluationRun:
    """Mark an evaluation as running, from nothing: one that was interrupted starts again.

    Raises EvaluationCancelledError if it was cancelled while it waited.
    """
    current = EvaluationRun.objects.select_for_update().get(pk=run.pk)
    if current.is_cancel_requested:
        raise EvaluationCancelledError
    current.status = RunStatus.RUNNING
    current.status_reason = ""
    current.expected, current.seen = expected, 0
    current.profile_version = current.profile.version if current.profile else 0
    current.started_at = current.heartbeat_at = now
    current.finished_at = None
    current.save()
    return current


def note_progress(*, run: EvaluationRun, seen: int, now: datetime) -> None:
    """Tell how far it is. Raises EvaluationCancelledError once somebody asked for a stop."""
    row = EvaluationRun.objects.filter(pk=run.pk)
    row.update(seen=seen, heartbeat_at=now)
    if row.filter(is_cancel_requested=True).exists():
        raise EvaluationCancelledError


@transaction.atomic
def finish_evaluation(
    *,
    run: EvaluationRun,
    measures: Mapping[str, Any],
    per_question: Mapping[str, Any],
    notes: Sequence[str],
    now: datetime,
) -> EvaluationRun:
    """Store the figures and mark the evaluation as done."""
    current = EvaluationRun.objects.select_for_update().get(pk=run.pk)
    current.status = RunStatus.DONE
    current.measures, current.per_question = dict(measures), dict(per_question)
    current.notes = list(notes)
    current.question_count = len(per_question)
    current.seen = current.expected or current.seen
    current.finished_at = current.heartbeat_at = now
    current.save()
    return current


def end_evaluation(*, run: EvaluationRun, status: RunStatus, reason: str, now: datetime) -> None:
    """Mark an evaluation as failed or cancelled, with the reason."""
    EvaluationRun.objects.filter(pk=run.pk).update(
        status=status, status_reason=reason, finished_at=now
    )


@transaction.atomic
def cancel_evaluation(*, run: EvaluationRun, now: datetime) -> EvaluationRun:
    """Ask an evaluation to stop; one that still waits is cancelled at once."""
    current = EvaluationRun.objects.select_for_update().get(pk=run.pk)
    if current.status not in {RunStatus.WAITING, RunStatus.RUNNING}:
        return current
    current.is_cancel_requested = True
    if current.status == RunStatus.WAITING:
        current.status = RunStatus.CANCELLED
        current.finished_at = now
    current.save()
    return current
