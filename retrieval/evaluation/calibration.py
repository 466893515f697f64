"""Proposes the thresholds of the verdict from questions known to be answerable or not. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

STEPS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """The confidences of answerable and of unanswerable questions."""

    answerable: tuple[float, ...]
    unanswerable: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """What a threshold lets pass: shares of the answerable and of the unanswerable questions."""

    threshold: float
    answerable: float
    unanswerable: float

    @property
    def precision(self) -> float:
        """Share of answerable questions among those that pass, were both sorts equally many."""
        passed = self.answerable + self.unanswerable
        return self.answerable / passed if passed else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Proposed fields of a ranking profile."""

    answerable_confidence: float
    weak_confidence: float


def rates_at(threshold: float, labelled: Labelled) -> Rates:
    """Return what a threshold lets pass; nothing of a sort that is not there."""
    return Rates(
        threshold=threshold,
        answerable=_share_from(threshold, labelled.answerable),
        unanswerable=_share_from(threshold, labelled.unanswerable),
    )


def propose_thresholds(labelled: Labelled, *, precision: float) -> Thresholds:
    """Return thresholds in steps of 0.01.

    Weak begins where most answerable questions pass and fewest unanswerable ones do (Youden's J).
    Answerable begins at the lowest threshold, not below that, from which on `precision` holds.
    """
    grid = [rates_at(step / STEPS, labelled) for step in range(STEPS + 1)]
    weak = max(grid, key=lambda rates: (rates.answerable - rates.unanswerable, -rates.threshold))
    too_low = [rates.threshold for rates in grid if rates.precision < precision]
    least = max(too_low, default=-1 / STEPS) + 1 / STEPS
    answerable = min(max(least, weak.threshold), 1.0)
    return Thresholds(
        answerable_confidence=round(answerable, 2), weak_confidence=round(weak.threshold, 2)
    )


def _share_from(threshold: float, confidences: Sequence[float]) -> float:
    if not confidences:
        return 0.0
    return sum(1 for confidence in confidences if confidence >= threshold) / len(confidences)
