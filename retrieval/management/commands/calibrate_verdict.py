"""Proposes the thresholds of the verdict from labelled questions."""

from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO, cast

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from crmind.exceptions import CRMindError, InvalidInputError
from knowledge.embedding.registry import get_embedder
from knowledge.models import EVERYONE
from retrieval.evaluation.arms import EvaluatedArm
from retrieval.evaluation.calibration import (
    Labelled,
    Thresholds,
    propose_thresholds,
    rates_at,
)
from retrieval.evaluation.datasets import read_dataset
from retrieval.evaluation.metrics import area_under_roc
from retrieval.evaluation.plan import make_plan, show_progress
from retrieval.evaluation.runner import evaluate_dataset
from retrieval.models import GoldenQuestion, RankingProfile
from retrieval.pipeline import search
from retrieval.query.parse import SearchRequest
from retrieval.services import get_profile, save_profile

DEFAULT_PRECISION = 0.95
SHOWN = tuple(step / 10 for step in range(3, 10))


class Command(BaseCommand):
    """`manage.py calibrate_verdict DIR...`."""

    help = (
        "Ask questions that are known to be answerable or not, of evaluation sets or the golden "
        "ones, and propose the thresholds of the verdict."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take where the questions are, and what is wanted of the thresholds."""
        parser.add_argument("directories", nargs="*", type=Path, metavar="DIR")
        parser.add_argument("--golden", action="store_true", help="Ask the golden questions.")
        parser.add_argument(
            "--precision",
            type=float,
            default=DEFAULT_PRECISION,
            metavar="P",
            help="Wanted share of answerable ones among questions called answerable.",
        )
        parser.add_argument(
            "--apply", default="", metavar="PROFILE", help="Set them on this ranking profile."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Ask, propose, and apply where told to."""
        try:
            _check_options(options)
            labelled = _ask(options)
            thresholds = propose_thresholds(labelled, precision=options["precision"])
            console = Console(file=cast("TextIO", self.stdout), width=100)
            _print_report(console, labelled, thresholds)
            if options["apply"]:
                profile = RankingProfile.objects.get(slug=options["apply"])
                save_profile(profile=profile, changes=asdict(thresholds))
                console.print(f"Set on profile {profile.slug}.")
        except CRMindError as error:
            raise CommandError(error.message) from error


def _check_options(options: dict[str, Any]) -> None:
    if not 0 < options["precision"] <= 1:
        message = f"--precision is {options['precision']:g}; it has to be above 0, at most 1."
        raise InvalidInputError(message, field="precision")
    if bool(options["directories"]) == options["golden"]:
        message = "Give folders of evaluation sets, or --golden for the golden questions."
        raise InvalidInputError(message, field="directories")
    slug = options["apply"]
    if slug and not RankingProfile.objects.filter(slug=slug).exists():
        message = f"There is no ranking profile {slug!r} to set them on."
        raise InvalidInputError(message, field="apply")


def _ask(options: dict[str, Any]) -> Labelled:
    labelled = _ask_golden() if options["golden"] else _ask_datasets(options["directories"])
    if not labelled.answerable or not labelled.unanswerable:
        message = (
            f"{len(labelled.answerable)} answerable and {len(labelled.unanswerable)} unanswerable "
            "questions were found: both sorts are needed."
        )
        raise InvalidInputError(message, field="directories")
    return labelled


def _ask_datasets(directories: list[Path]) -> Labelled:
    datasets = [read_dataset(directory) for directory in directories]
    plan = make_plan((EvaluatedArm.HYBRID,))
    answerable: list[float] = []
    unanswerable: list[float] = []
    for dataset in datasets:
        evaluation = evaluate_dataset(dataset, plan, progress=show_progress)
        figures = evaluation.figures[EvaluatedArm.HYBRID]
        answerable += [judgment.confidence for judgment in figures.judgments]
        unanswerable += [judgment.confidence for judgment in figures.unanswerable_judgments]
    return Labelled(answerable=tuple(answerable), unanswerable=tuple(unanswerable))


def _ask_golden() -> Labelled:
    profile = get_profile()
    by_label: dict[bool, list[float]] = {True: [], False: []}
    for question in GoldenQuestion.objects.all():
        result = search(
            SearchRequest(question=question.text, as_of=question.as_of),
            reader_tags=frozenset({*question.access_tags, EVERYONE}),
            now=timezone.now(),
            embedder=get_embedder(),
            profile=profile,
            origin="calibration",
        )
        by_label[question.is_answerable].append(result.judgment.confidence)
    return Labelled(answerable=tuple(by_label[True]), unanswerable=tuple(by_label[False]))


def _print_report(console: Console, labelled: Labelled, thresholds: Thresholds) -> None:
    table = Table("confidence from", box=SIMPLE_HEAD)
    for name in ("answerable pass", "unanswerable pass", "precision"):
        table.add_column(name, justify="right")
    proposed = (thresholds.weak_confidence, thresholds.answerable_confidence)
    for threshold in sorted({*SHOWN, *proposed}):
        rates = rates_at(threshold, labelled)
        mark = " *" if threshold in proposed else ""
        shares = (rates.answerable, rates.unanswerable, rates.precision)
        table.add_row(f"{threshold:.2f}{mark}", *(f"{share:.1%}" for share in shares))
    console.print(table)
    area = area_under_roc(labelled.answerable, labelled.unanswerable)
    console.print(
        f"{len(labelled.answerable)} answerable and {len(labelled.unanswerable)} unanswerable "
        f"questions; area under ROC {area:.4f}.\n"
        f"Proposed: answerable_confidence {thresholds.answerable_confidence:.2f}, "
        f"weak_confidence {thresholds.weak_confidence:.2f}.",
        highlight=False,
        soft_wrap=True,
    )
