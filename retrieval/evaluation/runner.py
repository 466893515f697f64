"""Evaluates one set from its files to its figures."""

from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime

from knowledge.embedding.base import Embedder, Tokenizer
from retrieval.evaluation.arms import (
    YARDSTICKS,
    ArmFigures,
    Asking,
    EvaluatedArm,
    KindFigures,
    evaluate_arm,
)
from retrieval.evaluation.corpus import load_corpus
from retrieval.evaluation.datasets import Dataset
from retrieval.evaluation.metrics import area_under_roc
from retrieval.evaluation.scratch import scratch_database
from retrieval.evaluation.significance import Comparison, compare_paired
from retrieval.ranking.profile import Profile
from retrieval.types import Judgment, Verdict

Progress = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""Opens the progress of a task of so many steps; calling what it yields advances it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """How well a set was answered, with a profile and, where given, `against` another."""

    dataset: str
    document_count: int
    question_count: int
    profile: str
    figures: dict[EvaluatedArm, ArmFigures]
    against: str = ""

    def comparisons(self) -> dict[EvaluatedArm, Comparison]:
        """Return how `hybrid` compares with each yardstick, by nDCG@10 of each question."""
        hybrid = self.figures.get(EvaluatedArm.HYBRID)
        if hybrid is None:
            return {}
        return {
            arm: compare_paired(hybrid.ndcg_by_question, self.figures[arm].ndcg_by_question)
            for arm in YARDSTICKS
            if arm in self.figures
        }

    def as_record(self) -> dict[str, object]:
        """Return the evaluation as `evaluate --json` prints it."""
        return {
            "dataset": self.dataset,
            "documents": self.document_count,
            "queries": self.question_count,
            "profile": self.profile,
            **({"against": self.against} if self.against else {}),
            "arms": {arm.value: measures_of(figures) for arm, figures in self.figures.items()},
            **self._comparisons(),
            **self._kinds(),
            **self._verdicts(),
        }

    def _comparisons(self) -> dict[str, object]:
        compared = {
            arm.value: comparison_measures(
                comparison,
                milliseconds=self.figures[EvaluatedArm.HYBRID].p50_ms - self.figures[arm].p50_ms,
            )
            for arm, comparison in self.comparisons().items()
        }
        return {"comparisons": compared} if compared else {}

    def _kinds(self) -> dict[str, object]:
        """Return the figures of the product by kind of question, where the set names kinds."""
        hybrid = self.figures.get(EvaluatedArm.HYBRID)
        if hybrid is None or not hybrid.kinds:
            return {}
        return {"kinds": {kind: kind_measures(each) for kind, each in hybrid.kinds.items()}}

    def _verdicts(self) -> dict[str, object]:
        """Return how well the verdict knew what can be answered, where the set has what cannot."""
        hybrid = self.figures.get(EvaluatedArm.HYBRID)
        if hybrid is None or not hybrid.unanswerable_judgments:
            return {}
        area = area_under_roc(
            [judgment.confidence for judgment in hybrid.judgments],
            [judgment.confidence for judgment in hybrid.unanswerable_judgments],
        )
        return {
            "verdict_auroc": round(area, 4),
            "verdicts": {
                "answerable": _count_verdicts(hybrid.judgments),
                "unanswerable": _count_verdicts(hybrid.unanswerable_judgments),
            },
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationPlan:
    """What to measure and with what.

    `against` is the profile of the arm of that name. `infers_filters` leaves the filters that a set
    gives aside: the question has to say them.
    """

    arms: tuple[EvaluatedArm, ...]
    profile: Profile
    embedder: Embedder
    tokenizer: Tokenizer
    now: datetime
    against: Profile | None = None
    infers_filters: bool = False


def evaluate_dataset(dataset: Dataset, plan: EvaluationPlan, *, progress: Progress) -> Evaluation:
    """Load the set into a database of its own, ask its questions, and drop the database.

    Raises DatasetError.
    """
    with scratch_database():
        with progress(f"{dataset.name}: documents", len(dataset.documents)) as advance:
            load_corpus(
                dataset,
                embedder=plan.embedder,
                tokenizer=plan.tokenizer,
                now=plan.now,
                advance=advance,
            )
        asking = Asking(
            profile=plan.profile,
            against=plan.against,
            embedder=plan.embedder,
            now=plan.now,
            infers_filters=plan.infers_filters,
        )
        figures = {}
        for arm in plan.arms:
            with progress(f"{dataset.name}: {arm}", _asked_count(arm, dataset)) as advance:
                figures[arm] = evaluate_arm(arm, dataset, asking, advance=advance)
    return Evaluation(
        dataset=dataset.name,
        document_count=len(dataset.documents),
        question_count=len(dataset.questions),
        profile=plan.profile.slug,
        figures=figures,
        against=plan.against.slug if plan.against else "",
    )


def measures_of(figures: ArmFigures) -> dict[str, float]:
    """Return the figures of an arm under the names they are reported by."""
    return {
        "ndcg@10": round(figures.quality.ndcg_at_10, 4),
        "recall@10": round(figures.quality.recall_at_10, 4),
        "recall@100": round(figures.quality.recall_at_100, 4),
        "mrr@10": round(figures.quality.mrr_at_10, 4),
        **_stale_measure(figures.stale_at_1),
        "p50_ms": round(figures.p50_ms, 1),
        "p95_ms": round(figures.p95_ms, 1),
    }


def kind_measures(figures: KindFigures) -> dict[str, float]:
    """Return the figures of a kind of question under the names they are reported by."""
    return {
        "ndcg@10": round(figures.quality.ndcg_at_10, 4),
        "recall@10": round(figures.quality.recall_at_10, 4),
        "mrr@10": round(figures.quality.mrr_at_10, 4),
        **_stale_measure(figures.stale_at_1),
    }


def comparison_measures(comparison: Comparison, *, milliseconds: float) -> dict[str, object]:
    """Return a comparison under the names it is reported by: what `hybrid` has more, or less."""
    return {
        "ndcg@10": round(comparison.difference, 4),
        "interval": [round(end, 4) for end in comparison.interval],
        "p_value": round(comparison.p_value, 4),
        "wins": comparison.wins,
        "ties": comparison.ties,
        "losses": comparison.losses,
        "p50_ms": round(milliseconds, 1),
    }


def _stale_measure(share: float | None) -> dict[str, float]:
    return {} if share is None else {"stale@1": round(share, 4)}


def _asked_count(arm: EvaluatedArm, dataset: Dataset) -> int:
    unanswerable = len(dataset.unanswerable) if arm is EvaluatedArm.HYBRID else 0
    return len(dataset.questions) + unanswerable


def _count_verdicts(judgments: Iterable[Judgment]) -> dict[str, int]:
    counts = Counter(judgment.verdict for judgment in judgments)
    return {verdict.value: counts[verdict] for verdict in Verdict}
