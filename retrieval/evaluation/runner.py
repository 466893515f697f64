"""Evaluates one set from its files to its figures."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime

from knowledge.embedding.base import Embedder, Tokenizer
from retrieval.evaluation.arms import ArmFigures, EvaluatedArm, evaluate_arm
from retrieval.evaluation.corpus import load_corpus
from retrieval.evaluation.datasets import Dataset
from retrieval.evaluation.scratch import scratch_database
from retrieval.ranking.profile import Profile
from retrieval.services import get_profile

Progress = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""Opens the progress of a task of so many steps; calling what it yields advances it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """How well a set was answered."""

    dataset: str
    document_count: int
    question_count: int
    profile: str
    figures: dict[EvaluatedArm, ArmFigures]

    def as_record(self) -> dict[str, object]:
        """Return the evaluation as `evaluate --json` prints it."""
        return {
            "dataset": self.dataset,
            "documents": self.document_count,
            "queries": self.question_count,
            "profile": self.profile,
            "arms": {arm.value: measures_of(figures) for arm, figures in self.figures.items()},
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationPlan:
    """What to measure and with what; without a `profile` the shipped one is measured."""

    arms: tuple[EvaluatedArm, ...]
    profile: Profile | None
    embedder: Embedder
    tokenizer: Tokenizer
    now: datetime


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
        profile = plan.profile or get_profile()
        figures = {}
        for arm in plan.arms:
            with progress(f"{dataset.name}: {arm}", len(dataset.questions)) as advance:
                figures[arm] = evaluate_arm(
                    arm,
                    dataset,
                    profile=profile,
                    embedder=plan.embedder,
                    now=plan.now,
                    advance=advance,
                )
    return Evaluation(
        dataset=dataset.name,
        document_count=len(dataset.documents),
        question_count=len(dataset.questions),
        profile=profile.slug,
        figures=figures,
    )


def measures_of(figures: ArmFigures) -> dict[str, float]:
    """Return the figures of an arm under the names they are reported by."""
    return {
        "ndcg@10": round(figures.quality.ndcg_at_10, 4),
        "recall@100": round(figures.quality.recall_at_100, 4),
        "mrr@10": round(figures.quality.mrr_at_10, 4),
        "p50_ms": round(figures.p50_ms, 1),
        "p95_ms": round(figures.p95_ms, 1),
    }
