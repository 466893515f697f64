"""What the page of an evaluation shows: progress, figures and each question, worst first."""

from datetime import datetime
from typing import Any

from django.urls import reverse

from knowledge.admin.run_page import BADGES, is_silent, percent_done, time_remaining
from knowledge.models import RunStatus
from retrieval.admin.log import VERDICTS
from retrieval.conf import retrieval_settings
from retrieval.models import EvaluationRun
from retrieval.types import Verdict

SHOWN_QUESTIONS = 200

MEASURES = {
    "ndcg@10": ("nDCG@10", "how well the first ten are ordered; 1 is perfect"),
    "recall@10": ("Recall@10", "share of the right documents among the first ten"),
    "recall@100": ("Recall@100", "share of the right documents found at all"),
    "mrr@10": ("MRR@10", "1 where the first document is right, 0.5 where the second is"),
    "p50_ms": ("Median time", "milliseconds of a search"),
    "p95_ms": ("95 % of times", "milliseconds of a slow search"),
    "evidence found": ("Evidence found", "share of answerable questions with a verdict above none"),
    "rightly without evidence": (
        "Rightly without evidence",
        "share of questions nothing answers whose verdict says so",
    ),
}


def describe_evaluation(run: EvaluationRun, *, now: datetime) -> dict[str, Any]:
    """Return progress, figures and questions of a run."""
    is_live = run.status in {RunStatus.WAITING, RunStatus.RUNNING}
    questions = question_rows(run)
    least = retrieval_settings().least_judged_questions
    judged = sum(row["ndcg"] is not None for row in questions)
    return {
        "pk": run.pk,
        "status": run.get_status_display(),
        "badge": BADGES[RunStatus(run.status)],
        "reason": run.status_reason,
        "is_live": is_live,
        "is_done": run.status == RunStatus.DONE,
        "is_stopping": is_live and run.is_cancel_requested,
        "seen": run.seen,
        "expected": run.expected,
        "percent": percent_done(run),
        "remaining": time_remaining(run, now=now) if is_live else "",
        "is_silent": is_live and is_silent(run, now=now),
        "notes": run.notes,
        "measures": measure_rows(run),
        "is_small": run.status == RunStatus.DONE and 0 < judged < least,
        "judged": judged,
        "questions": questions[:SHOWN_QUESTIONS],
        "left_out": max(0, len(questions) - SHOWN_QUESTIONS),
    }


def measure_rows(run: EvaluationRun) -> list[dict[str, Any]]:
    """Return the figures of a run with their meaning; those of other sets name their arm."""
    rows = []
    for arm, values in run.measures.items():
        for name, value in values.items() if isinstance(values, dict) else [("", values)]:
            label, meaning = MEASURES.get(name, (name, ""))
            is_plain = arm in ("hybrid", "verdict")
            rows.append(
                {
                    "key": (arm, name),
                    "label": label if is_plain else f"{arm} {label}".strip(),
                    "meaning": meaning,
                    "value": value,
                    "shown": shown_value(name, value),
                }
            )
    # The database keeps the keys of JSON in an order of its own.
    order = list(MEASURES)
    return sorted(
        rows, key=lambda row: order.index(row["key"][1]) if row["key"][1] in order else 99
    )


def shown_value(name: str, value: Any) -> str:
    """Return a figure as people read it."""
    if not isinstance(value, int | float):
        return str(value)
    return f"{value:.0f} ms" if name.endswith("_ms") else f"{value:.3f}"


def question_rows(run: EvaluationRun) -> list[dict[str, Any]]:
    """Return the questions of a run, those that went worst first."""
    profile = run.profile.slug if run.profile else ""
    rows = [
        {
            "key": key,
            "text": figures.get("text", key),
            "ndcg": figures.get("ndcg@10"),
            "first": figures.get("first"),
            "verdict": _verdict_words(figures.get("verdict", "")),
            "is_answerable": figures.get("is_answerable", True),
            "link": preview_link(figures.get("address", ""), profile),
        }
        for key, figures in run.per_question.items()
        if isinstance(figures, dict)
    ]
    return sorted(rows, key=lambda row: (row["ndcg"] is None, row["ndcg"] or 0.0, row["text"]))


def preview_link(address: str, profile: str = "", against: str = "") -> str:
    """Return the page that asks a question by a profile, beside another one where given."""
    if not address:
        return ""
    chosen = f"&profile={profile}" if profile else ""
    beside = f"&against={against}" if against else ""
    return f"{reverse('preview')}?{address}{chosen}{beside}"


def _verdict_words(verdict: str) -> str:
    try:
        return VERDICTS[Verdict(verdict)]
    except ValueError:
        return verdict
