"""Puts evaluations side by side: their measures, a chart, and the questions where they differ."""

import json
from collections.abc import Sequence
from typing import Any

from django.urls import reverse

from retrieval.admin.evaluation_page import MEASURES, measure_rows, preview_link
from retrieval.evaluation.significance import compare_paired
from retrieval.models import EvaluationRun

SHOWN_QUESTIONS = 100
CHARTED = ("ndcg@10", "recall@10", "recall@100", "mrr@10")
COLOURS = ("#7c3aed", "#0ea5e9", "#10b981", "#f59e0b", "#ec4899", "#64748b")
CHART_OPTIONS = {
    "animation": False,
    "responsive": True,
    "maintainAspectRatio": False,
    "plugins": {"legend": {"position": "top", "align": "start", "labels": {"color": "#8b93a3"}}},
    "scales": {
        "x": {"grid": {"display": False}, "ticks": {"color": "#8b93a3"}},
        "y": {"min": 0, "max": 1, "grid": {}, "ticks": {"color": "#8b93a3"}},
    },
}


def compare_runs(runs: Sequence[EvaluationRun]) -> dict[str, Any]:
    """Return what the page shows; the first run is what the others are compared with."""
    rows = _question_rows(runs)
    return {
        "runs": [_run(run, runs[0]) for run in runs],
        "measures": _measure_rows(runs),
        "chart": json.dumps(_chart(runs)),
        "chart_options": json.dumps(CHART_OPTIONS),
        "questions": rows[:SHOWN_QUESTIONS],
        "left_out": max(0, len(rows) - SHOWN_QUESTIONS),
        "equal_count": len(_common(runs)) - len(rows),
    }


def name_of(run: EvaluationRun) -> str:
    """Return a short name of a run."""
    label = run.profile.label if run.profile else "deleted profile"
    return f"{label} v{run.profile_version}, run {run.pk}"


def _run(run: EvaluationRun, first: EvaluationRun) -> dict[str, Any]:
    return {
        "name": name_of(run),
        "link": reverse("admin:retrieval_evaluationrun_change", args=[run.pk]),
        "created_at": run.created_at,
        "against_first": "" if run.pk == first.pk else _against(run, first),
    }


def _against(run: EvaluationRun, first: EvaluationRun) -> str:
    ours, theirs = _ndcg(run), _ndcg(first)
    common = ours.keys() & theirs.keys()
    if not common:
        return "No question in common with the first."
    result = compare_paired(
        {key: ours[key] for key in common}, {key: theirs[key] for key in common}
    )
    low, high = result.interval
    chance = "may be chance" if low <= 0 <= high else "is more than chance"
    return (
        f"nDCG@10 {result.difference:+.3f} ({low:+.3f} to {high:+.3f}) on {len(common)} questions:"
        f" {result.wins} better, {result.ties} equal, {result.losses} worse; this {chance}."
    )


def _measure_rows(runs: Sequence[EvaluationRun]) -> list[dict[str, Any]]:
    by_run = [{row["key"]: row for row in measure_rows(run)} for run in runs]
    keys = list(dict.fromkeys(key for rows in by_run for key in rows))
    table = []
    for key in keys:
        cells = [rows.get(key) for rows in by_run]
        described = next(cell for cell in cells if cell)
        values = [cell["value"] for cell in cells if cell]
        best = (min if key[1].endswith("_ms") else max)(values)
        tells_apart = len(set(values)) > 1
        table.append(
            {
                "label": described["label"],
                "meaning": described["meaning"],
                "cells": [
                    {
                        "shown": cell["shown"] if cell else "",
                        "is_best": bool(tells_apart and cell and cell["value"] == best),
                    }
                    for cell in cells
                ],
            }
        )
    return table


def _chart(runs: Sequence[EvaluationRun]) -> dict[str, Any]:
    return {
        "labels": [MEASURES[name][0] for name in CHARTED],
        "datasets": [
            {
                "label": name_of(run),
                "data": [(run.measures.get("hybrid") or {}).get(name) for name in CHARTED],
                "backgroundColor": colour,
            }
            for run, colour in zip(runs, COLOURS, strict=False)
        ],
    }


def _ndcg(run: EvaluationRun) -> dict[str, float]:
    return {
        key: figures["ndcg@10"]
        for key, figures in run.per_question.items()
        if isinstance(figures, dict) and figures.get("ndcg@10") is not None
    }


def _common(runs: Sequence[EvaluationRun]) -> set[str]:
    return set.intersection(*(set(_ndcg(run)) for run in runs))


def _question_rows(runs: Sequence[EvaluationRun]) -> list[dict[str, Any]]:
    """Return the questions on which runs differ, those that differ most first."""
    figures = [_ndcg(run) for run in runs]
    rows = []
    for key in _common(runs):
        values = [each[key] for each in figures]
        spread = max(values) - min(values)
        if spread < 0.0005:  # noqa: PLR2004 # what three decimals do not show
            continue
        rows.append(_question_row(key, runs, values, spread=spread))
    return sorted(rows, key=lambda row: (-row["spread"], row["text"]))


def _question_row(
    key: str, runs: Sequence[EvaluationRun], values: Sequence[float], *, spread: float
) -> dict[str, Any]:
    asked = runs[-1].per_question[key]
    first, last = (run.profile.slug if run.profile else "" for run in (runs[0], runs[-1]))
    against = last if last != first else ""
    return {
        "text": asked.get("text", key),
        "spread": spread,
        "cells": [{"shown": f"{value:.3f}", "is_best": value == max(values)} for value in values],
        "link": preview_link(asked.get("address", ""), first, against),
    }
