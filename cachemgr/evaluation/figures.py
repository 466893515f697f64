"""Counts what a cache would have answered rightly and wrongly. Pure."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cachemgr.evaluation.pairs import Pair
from cachemgr.guards import GUARDS
from cachemgr.matching import VERIFIER, Match

Z_95 = 1.959964
STEPS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedPair:
    """A pair, its similarity, and the decision on it were it near enough."""

    pair: Pair
    similarity: float
    match: Match

    def is_hit(self, threshold: float) -> bool:
        return self.similarity > threshold and self.match.is_hit


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Shares of the pairs of either label that are answered, None without such pairs."""

    positives: int
    hits: int
    negatives: int
    false_hits: int

    @property
    def hit_rate(self) -> float | None:
        return _share(self.hits, self.positives)

    @property
    def false_hit_rate(self) -> float | None:
        return _share(self.false_hits, self.negatives)

    def as_record(self) -> dict[str, Any]:
        return {
            "positives": self.positives,
            "hit_rate": _rounded(self.hit_rate),
            "negatives": self.negatives,
            "false_hit_rate": _rounded(self.false_hit_rate),
            "false_hit_ci95": wilson_interval(self.false_hits, self.negatives),
        }


@dataclass(slots=True, kw_only=True)
class Refusals:
    """How often a guard refused a pair above the threshold; `alone`: no other guard did."""

    rightly: int = 0
    wrongly: int = 0
    alone_rightly: int = 0
    alone_wrongly: int = 0

    def as_record(self) -> dict[str, int]:
        return {
            "refused_rightly": self.rightly,
            "refused_wrongly": self.wrongly,
            "alone_rightly": self.alone_rightly,
            "alone_wrongly": self.alone_wrongly,
        }

    def add(self, judged: JudgedPair) -> None:
        is_alone = len(judged.match.refused_by) == 1
        if judged.pair.is_same:
            self.wrongly += 1
            self.alone_wrongly += is_alone
        else:
            self.rightly += 1
            self.alone_rightly += is_alone


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The lowest threshold from which on the share of false hits keeps within a budget."""

    budget: float
    threshold: float
    rates: Rates
    grid: Mapping[float, Rates] = field(default_factory=dict)

    def as_record(self) -> dict[str, Any]:
        return {
            "false_hit_budget": self.budget,
            "threshold": self.threshold,
            **self.rates.as_record(),
        }


def rates_at(threshold: float, judged: Sequence[JudgedPair]) -> Rates:
    """Return the rates of the product's decision at a threshold."""
    return _rates((each.pair.is_same, each.is_hit(threshold)) for each in judged)


def rule_rates_at(threshold: float, judged: Sequence[JudgedPair]) -> Rates:
    """Return the rates of the similarity alone."""
    return _rates((each.pair.is_same, each.similarity > threshold) for each in judged)


def count_refusals(threshold: float, judged: Sequence[JudgedPair]) -> dict[str, Refusals]:
    """Return what each guard refused among the pairs above the threshold; "any" is their union."""
    refusals = {name: Refusals() for name in ("any", *GUARDS, VERIFIER)}
    for each in judged:
        if each.similarity > threshold and each.match.refused_by:
            for name in ("any", *each.match.refused_by):
                refusals[name].add(each)
    return {name: counts for name, counts in refusals.items() if name != VERIFIER or counts.rightly}


def calibrate(judged: Sequence[JudgedPair], *, budget: float) -> Calibration:
    """Propose a threshold, in steps of 0.01, for a budget of false hits (share of negatives)."""
    grid = {step / STEPS: rates_at(step / STEPS, judged) for step in range(STEPS + 1)}
    too_low = [at for at, rates in grid.items() if (rates.false_hit_rate or 0.0) > budget]
    threshold = min(round(max(too_low, default=-1 / STEPS) + 1 / STEPS, 2), 1.0)
    return Calibration(budget=budget, threshold=threshold, rates=grid[threshold], grid=grid)


def wilson_interval(count: int, total: int) -> list[float] | None:
    """Return the 95 % interval of a share by Wilson's score, None of nothing.

    E. B. Wilson, Probable inference, the law of succession, and statistical inference, 1927.
    """
    if not total:
        return None
    share = count / total
    spread = Z_95**2 / total
    centre = share + spread / 2
    margin = Z_95 * math.sqrt(share * (1 - share) / total + spread / (4 * total))
    low, high = ((centre - margin) / (1 + spread), (centre + margin) / (1 + spread))
    return [round(max(low, 0.0), 4), round(min(high, 1.0), 4)]


def _rates(outcomes: Iterable[tuple[bool, bool]]) -> Rates:
    counts = {(is_same, is_hit): 0 for is_same in (True, False) for is_hit in (True, False)}
    for outcome in outcomes:
        counts[outcome] += 1
    return Rates(
        positives=counts[True, True] + counts[True, False],
        hits=counts[True, True],
        negatives=counts[False, True] + counts[False, False],
        false_hits=counts[False, True],
    )


def _share(count: int, total: int) -> float | None:
    return count / total if total else None


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, 4)
