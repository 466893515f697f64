"""Measures on labelled pairs of questions what the semantic cache answers rightly and wrongly."""

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO, cast

from django.core.management.base import BaseCommand, CommandError
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from cachemgr.evaluation.figures import Calibration, Rates, calibrate
from cachemgr.evaluation.pairs import read_pairs
from cachemgr.evaluation.runner import CacheEvaluation, evaluate_pairs
from cachemgr.policy import match_policy
from crmind.exceptions import CRMindError, InvalidInputError
from retrieval.evaluation.plan import show_progress, stored_vectors

# What semantic caches without guards commonly use.
RULE_THRESHOLD = 0.95
DEFAULT_BUDGET = 0.01
SHOWN_STEPS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
TABLE_WIDTH = 130


class Command(BaseCommand):
    """`manage.py evaluate_cache PAIRS.tsv...`."""

    help = (
        "Read pairs of questions (columns q1, q2, label: 1 for the same answer) and decide on each "
        "as a look-up would. Vectors are kept, so that a second run embeds nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the files, and what to measure."""
        parser.add_argument("files", nargs="+", type=Path, metavar="PAIRS.tsv[.gz]")
        parser.add_argument(
            "--threshold", type=float, metavar="X", help="Similarity to exceed, not the setting."
        )
        parser.add_argument(
            "--where", action="append", default=[], metavar="COLUMN=VALUE", help="Only such rows."
        )
        parser.add_argument(
            "--calibrate", action="store_true", help="Propose the threshold for a budget."
        )
        parser.add_argument(
            "--false-hit-budget",
            type=float,
            default=DEFAULT_BUDGET,
            metavar="B",
            help="Share of the pairs of other answers that may be answered.",
        )
        parser.add_argument(
            "--list-false-hits", type=int, default=0, metavar="N", help="Show N of each set."
        )
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Check everything, judge the pairs of each file, report."""
        try:
            evaluations = _evaluate(options)
        except CRMindError as error:
            raise CommandError(error.message) from error
        calibration = None
        if options["calibrate"]:
            judged = [each for evaluation in evaluations for each in evaluation.judged]
            calibration = calibrate(judged, budget=options["false_hit_budget"])
        shown = options["list_false_hits"]
        if options["json"]:
            record: dict[str, Any] = {
                "results": [evaluation.as_record(false_hits=shown) for evaluation in evaluations]
            }
            if calibration:
                record["calibration"] = calibration.as_record()
            self.stdout.write(json.dumps(record, ensure_ascii=False))
            return
        console = Console(file=cast("TextIO", self.stdout), width=TABLE_WIDTH, highlight=False)
        _print_report(console, evaluations, false_hits=shown)
        if calibration:
            _print_calibration(console, calibration)


def _evaluate(options: dict[str, Any]) -> list[CacheEvaluation]:
    _check_share("threshold", options["threshold"], least=-1.0)
    _check_share("false-hit-budget", options["false_hit_budget"], least=0.0)
    where = dict(_selections(options["where"]))
    sets = [read_pairs(path, where=where) for path in options["files"]]
    given = options["threshold"]
    return [
        evaluate_pairs(
            pair_set,
            policy=match_policy(threshold=given),
            rule_threshold=RULE_THRESHOLD if given is None else given,
            embedder=stored_vectors(),
            progress=show_progress,
        )
        for pair_set in sets
    ]


def _check_share(name: str, value: float | None, *, least: float) -> None:
    if value is not None and not least <= value <= 1:
        message = f"--{name} is {value:g}; it has to be from {least:g} to 1."
        raise InvalidInputError(message, field=name)


def _selections(options: Sequence[str]) -> list[tuple[str, str]]:
    selections = []
    for option in options:
        column, equals, value = option.partition("=")
        if not (column and equals):
            message = f"--where is {option!r}; it has to be like half=unseen."
            raise InvalidInputError(message, field="where")
        selections.append((column, value))
    return selections


def _print_report(
    console: Console, evaluations: Sequence[CacheEvaluation], *, false_hits: int
) -> None:
    table = Table("set", "decision", box=SIMPLE_HEAD)
    for name in ("threshold", "positives", "hit rate", "negatives", "false hits", "95 %"):
        table.add_column(name, justify="right")
    for evaluation in evaluations:
        _add_row(table, evaluation.name, "cache", evaluation.threshold, evaluation.rates)
        _add_row(table, "", "similarity", evaluation.rule_threshold, evaluation.rule_rates)
        for kind, rates in evaluation.kinds.items():
            _add_row(table, "", f"cache, {kind}", evaluation.threshold, rates)
    console.print(table)
    for evaluation in evaluations:
        console.print(_refusals(evaluation))
        for each in evaluation.false_hits[:false_hits]:
            console.print(
                f"{evaluation.name} {each.similarity:.3f} {each.pair.asked} | {each.pair.stored}",
                markup=False,
                soft_wrap=True,
            )


def _add_row(table: Table, name: str, decision: str, threshold: float, rates: Rates) -> None:
    record = rates.as_record()
    interval = record["false_hit_ci95"]
    table.add_row(
        name,
        decision,
        f"{threshold:g}",
        f"{rates.positives:,}",
        _shown(record["hit_rate"]),
        f"{rates.negatives:,}",
        _shown(record["false_hit_rate"]),
        f"{interval[0]:.4f}-{interval[1]:.4f}" if interval else "-",
    )


def _refusals(evaluation: CacheEvaluation) -> Table:
    table = Table(f"{evaluation.name}: refused by", box=SIMPLE_HEAD)
    for name in ("rightly", "wrongly", "alone rightly", "alone wrongly"):
        table.add_column(name, justify="right")
    for name, counts in evaluation.refusals.items():
        table.add_row(name, *map(str, counts.as_record().values()))
    return table


def _print_calibration(console: Console, calibration: Calibration) -> None:
    table = Table("threshold", box=SIMPLE_HEAD)
    for name in ("hit rate", "false hits"):
        table.add_column(name, justify="right")
    for threshold in sorted({*SHOWN_STEPS, calibration.threshold}):
        rates = calibration.grid[threshold]
        mark = " *" if threshold == calibration.threshold else ""
        table.add_row(
            f"{threshold:.2f}{mark}", _shown(rates.hit_rate), _shown(rates.false_hit_rate)
        )
    console.print(table)
    console.print(
        f"Proposed for at most {calibration.budget:.2%} false hits: SIMILARITY_THRESHOLD "
        f"{calibration.threshold:.2f}."
    )


def _shown(share: float | None) -> str:
    return "-" if share is None else f"{share:.4f}"
