"""Runs an evaluation on the golden set from its first question to its stored figures."""

import logging
import time
from collections.abc import Callable
from datetime import datetime

from crmind.exceptions import CRMindError
from knowledge.embedding.base import Embedder
from knowledge.models import RunStatus
from retrieval.evaluation.golden import (
    CaseAnswer,
    GoldenCase,
    GoldenCases,
    GoldenFigures,
    ask_case,
    load_cases,
    measure,
    right_verdicts,
)
from retrieval.evaluation.metrics import percentile
from retrieval.exceptions import EmptyGoldenSetError
from retrieval.models import EvaluationRun
from retrieval.services import (
    EvaluationCancelledError,
    as_profile,
    end_evaluation,
    finish_evaluation,
    note_progress,
    start_evaluation,
)

HEARTBEAT_SECONDS = 1.0
SHOWN_DOCUMENTS = 10

logger = logging.getLogger(__name__)


def run_evaluation(
    *, run: EvaluationRun, embedder: Embedder, clock: Callable[[], datetime]
) -> EvaluationRun:
    """Ask every question of the golden set and store the figures; an error is stored as well."""
    try:
        golden = load_cases(now=clock())
        started = start_evaluation(run=run, expected=len(golden.cases), now=clock())
        answers = _ask_all(started, golden, embedder=embedder, clock=clock)
        figures = measure(golden.cases, answers)
        finish_evaluation(
            run=run,
            measures=_measures(golden, answers, figures),
            per_question=_per_question(golden, answers, figures),
            notes=golden.notes,
            now=clock(),
        )
    except EvaluationCancelledError:
        end_evaluation(run=run, status=RunStatus.CANCELLED, reason="Stopped by hand.", now=clock())
    except CRMindError as error:
        end_evaluation(run=run, status=RunStatus.FAILED, reason=error.message, now=clock())
    except Exception as error:
        logger.exception("evaluation %s failed", run.pk)
        reason = str(error) or type(error).__name__
        end_evaluation(run=run, status=RunStatus.FAILED, reason=reason, now=clock())
        raise
    run.refresh_from_db()
    return run


def _ask_all(
    run: EvaluationRun, golden: GoldenCases, *, embedder: Embedder, clock: Callable[[], datetime]
) -> dict[str, CaseAnswer]:
    if not golden.cases:
        raise EmptyGoldenSetError
    if run.profile is None:
        message = "The profile was deleted before it could be measured."
        raise EvaluationCancelledError(message)
    profile = as_profile(run.profile)
    answers: dict[str, CaseAnswer] = {}
    told_at = time.monotonic()
    for case in golden.cases:
        answers[case.key] = ask_case(case, profile=profile, embedder=embedder)
        if time.monotonic() - told_at >= HEARTBEAT_SECONDS:
            note_progress(run=run, seen=len(answers), now=clock())
            told_at = time.monotonic()
    note_progress(run=run, seen=len(answers), now=clock())
    return answers


def _measures(
    golden: GoldenCases, answers: dict[str, CaseAnswer], figures: GoldenFigures
) -> dict[str, dict[str, float]]:
    quality = figures.quality
    times = [answer.milliseconds for answer in answers.values()]
    verdicts = {
        "evidence found": right_verdicts(golden.cases, answers, answerable=True),
        "rightly without evidence": right_verdicts(golden.cases, answers, answerable=False),
    }
    return {
        "hybrid": {
            "ndcg@10": round(quality.ndcg_at_10, 4),
            "recall@10": round(quality.recall_at_10, 4),
            "recall@100": round(quality.recall_at_100, 4),
            "mrr@10": round(quality.mrr_at_10, 4),
            "p50_ms": round(percentile(times, 0.50), 1),
            "p95_ms": round(percentile(times, 0.95), 1),
        },
        "verdict": {name: round(share, 4) for name, share in verdicts.items() if share is not None},
    }


def _per_question(
    golden: GoldenCases, answers: dict[str, CaseAnswer], figures: GoldenFigures
) -> dict[str, object]:
    ndcg = figures.ndcg
    return {
        case.key: {
            "text": case.text,
            "address": case.address,
            "ndcg@10": round(ndcg[case.key], 4) if case.key in ndcg else None,
            "first": _first_relevant(case, answers[case.key]),
            "verdict": answers[case.key].verdict.value,
            "is_answerable": case.is_answerable,
            "documents": list(answers[case.key].documents[:SHOWN_DOCUMENTS]),
        }
        for case in golden.cases
    }


def _first_relevant(case: GoldenCase, answer: CaseAnswer) -> int | None:
    """Return the place of the first document that answers the question."""
    places = (
        place
        for place, document in enumerate(answer.documents, start=1)
        if case.grades.get(document, 0) > 0
    )
    return next(places, None)
