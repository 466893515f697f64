"""Whether one ranking is better than another on the same questions, or only luckier. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

# As many random exchanges and samples; the least p-value they can tell is 1 in as many, and one.
ROUNDS = 10_000
# Rounds are drawn so many at a time, which bounds the memory a large set takes.
BATCH = 500
SEED = 20_310_720
CONFIDENCE = 0.95
# Differences below are rounding: sums of the same numbers in another order differ by as much.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The mean difference of a measure by question, and how sure it is.

    `interval` holds the mean of 95 % of bootstrap samples. `p_value` is that of a two-sided paired
    randomisation test: how often chance alone makes a difference as large.
    """

    difference: float
    interval: tuple[float, float]
    p_value: float
    wins: int
    ties: int
    losses: int


def compare_paired(ours: Mapping[str, float], theirs: Mapping[str, float]) -> Comparison:
    """Compare a measure, by question, of two rankings of the same questions.

    Smucker, Allan and Carterette (2007) find randomisation and bootstrap the right tests for such
    measures. The same figures always give the same result. Raises ValueError when the questions
    differ.
    """
    if ours.keys() != theirs.keys():
        message = "Only the same questions can be compared."
        raise ValueError(message)
    differences = np.array([ours[key] - theirs[key] for key in sorted(ours)], dtype=float)
    differences[np.abs(differences) < ROUNDING] = 0.0
    return Comparison(
        difference=float(differences.mean()) if differences.size else 0.0,
        interval=_interval(differences),
        p_value=_p_value(differences),
        wins=int((differences > 0).sum()),
        ties=int((differences == 0).sum()),
        losses=int((differences < 0).sum()),
    )


def _p_value(differences: np.ndarray) -> float:
    """Return how often random signs make a mean difference at least as large."""
    told_apart = differences[differences != 0]
    if not told_apart.size:
        return 1.0
    generator = np.random.default_rng(SEED)
    observed = abs(told_apart.sum())
    larger = 0
    for _ in range(ROUNDS // BATCH):
        signs = generator.choice((-1.0, 1.0), size=(BATCH, told_apart.size))
        larger += int((np.abs(signs @ told_apart) >= observed - ROUNDING).sum())
    return (larger + 1) / (ROUNDS + 1)


def _interval(differences: np.ndarray) -> tuple[float, float]:
    """Return the percentile bootstrap interval of the mean."""
    if not differences.size:
        return (0.0, 0.0)
    generator = np.random.default_rng(SEED)
    size = differences.size
    means = [
        differences[generator.integers(size, size=(BATCH, size))].mean(axis=1)
        for _ in range(ROUNDS // BATCH)
    ]
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(np.concatenate(means), (tail, 1 - tail))
    return float(low), float(high)
