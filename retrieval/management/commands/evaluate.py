"""Measures how well questions with known answers are answered."""

import json
import signal
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO, cast

from django.core.management.base import BaseCommand, CommandError
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from crmind.exceptions import CRMindError, InvalidInputError
from retrieval.evaluation.arms import EvaluatedArm
from retrieval.evaluation.datasets import read_dataset
from retrieval.evaluation.plan import make_plan, show_progress
from retrieval.evaluation.runner import (
    Evaluation,
    evaluate_dataset,
    kind_measures,
    measures_of,
)

MEASURES = ("ndcg@10", "recall@10", "recall@100", "mrr@10", "p50_ms", "p95_ms")
TABLE_WIDTH = 130
SELECTABLE = (EvaluatedArm.KEYWORD, EvaluatedArm.VECTOR, EvaluatedArm.HYBRID)
ALL_ARMS = ",".join(SELECTABLE)


class Command(BaseCommand):
    """`manage.py evaluate DIR...`."""

    help = (
        "Load evaluation sets in BEIR layout into a database of their own, ask their questions and "
        "measure the answers. Times leave out embedding the question. Vectors are kept, so that a "
        "second run embeds nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the folders, what to measure and how."""
        parser.add_argument("directories", nargs="+", type=Path, metavar="DIR")
        parser.add_argument("--arms", default=ALL_ARMS, metavar="A,B", help=f"Of {ALL_ARMS}.")
        parser.add_argument("--profile", default="", metavar="NAME", help="What hybrid ranks by.")
        parser.add_argument(
            "--against",
            default="",
            metavar="NAME",
            help="Another profile to compare hybrid with, question by question.",
        )
        parser.add_argument(
            "--baseline",
            default="",
            choices=("", EvaluatedArm.REFERENCE.value),
            help="Compare hybrid with the reference design as well.",
        )
        parser.add_argument(
            "--limit",
            type=int,
            metavar="N",
            help="Ask only N questions, of the documents judged for them and N others.",
        )
        parser.add_argument(
            "--infer-filters",
            action="store_true",
            help="Leave the filters that a set gives aside: the question has to say them.",
        )
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Check everything, evaluate set after set, report."""
        # Ended from outside, the scratch database goes too.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        try:
            evaluations = _evaluate(options)
        except CRMindError as error:
            raise CommandError(error.message) from error
        if options["json"]:
            records = [evaluation.as_record() for evaluation in evaluations]
            self.stdout.write(json.dumps({"results": records}))
        else:
            # Wide enough that no figure is cut.
            console = Console(file=cast("TextIO", self.stdout), width=TABLE_WIDTH)
            console.print(_table(evaluations))
            for evaluation in evaluations:
                _print_details(evaluation, console)


def _evaluate(options: dict[str, Any]) -> list[Evaluation]:
    arms = _arms(options)
    limit = options["limit"]
    if limit is not None and limit < 1:
        message = f"--limit is {limit}; it has to be 1 or more."
        raise InvalidInputError(message, field="limit")
    datasets = [read_dataset(directory, limit=limit) for directory in options["directories"]]
    plan = make_plan(
        arms,
        profile_slug=options["profile"],
        against_slug=options["against"],
        infers_filters=options["infer_filters"],
    )
    return [evaluate_dataset(dataset, plan, progress=show_progress) for dataset in datasets]


def _arms(options: dict[str, Any]) -> tuple[EvaluatedArm, ...]:
    names = [name.strip() for name in options["arms"].split(",")]
    if not set(names) <= set(SELECTABLE):
        message = f"--arms is {options['arms']!r}; it may hold {ALL_ARMS}."
        raise InvalidInputError(message, field="arms")
    arms = tuple(EvaluatedArm(name) for name in names)
    for option in ("against", "baseline"):
        if options[option] and EvaluatedArm.HYBRID not in arms:
            message = f"--{option} is compared with hybrid, which --arms leaves out."
            raise InvalidInputError(message, field=option)
    return (*arms, EvaluatedArm.REFERENCE) if options["baseline"] else arms


def _table(evaluations: Sequence[Evaluation]) -> Table:
    table = Table("set", "documents", "questions", "arm", box=SIMPLE_HEAD)
    for name in MEASURES:
        table.add_column(name, justify="right")
    for evaluation in evaluations:
        for arm, figures in evaluation.figures.items():
            measures = measures_of(figures)
            table.add_row(
                evaluation.dataset,
                f"{evaluation.document_count:,}",
                f"{evaluation.question_count:,}",
                _name(arm, evaluation),
                *(_shown(name, measures[name]) for name in MEASURES),
            )
    return table


def _name(arm: EvaluatedArm, evaluation: Evaluation) -> str:
    match arm:
        case EvaluatedArm.HYBRID:
            return f"{arm} ({evaluation.profile})"
        case EvaluatedArm.AGAINST:
            return f"hybrid ({evaluation.against})"
        case EvaluatedArm.UNRERANKED:
            return "hybrid without reranker"
        case _:
            return arm.value


def _print_details(evaluation: Evaluation, console: Console) -> None:
    """Print what only some sets have: kinds of question, stale documents, unanswerable ones."""
    hybrid = evaluation.figures.get(EvaluatedArm.HYBRID)
    record = evaluation.as_record()
    if hybrid is None:
        return
    for arm, comparison in evaluation.comparisons().items():
        low, high = comparison.interval
        added = hybrid.p50_ms - evaluation.figures[arm].p50_ms
        console.print(
            f"{evaluation.dataset}, {_name(EvaluatedArm.HYBRID, evaluation)} less "
            f"{_name(arm, evaluation)}: ndcg@10 {comparison.difference:+.4f} "
            f"({low:+.4f} to {high:+.4f}), p = {comparison.p_value:.4f}, "
            f"{comparison.wins} better, {comparison.ties} equal, {comparison.losses} worse, "
            f"{added:+.1f} ms",
            markup=False,
            soft_wrap=True,
        )
    for kind, figures in hybrid.kinds.items():
        shown = ", ".join(f"{name} {value:.4f}" for name, value in kind_measures(figures).items())
        console.print(f"{evaluation.dataset}, {kind}: {shown}", markup=False)
    if "verdicts" in record:
        console.print(
            f"{evaluation.dataset}, answerable or not: area under ROC {record['verdict_auroc']}; "
            f"verdicts {json.dumps(record['verdicts'])}",
            markup=False,
        )


def _shown(measure: str, value: float) -> str:
    return f"{value:.1f}" if measure.endswith("_ms") else f"{value:.4f}"
