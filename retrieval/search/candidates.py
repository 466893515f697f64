"""Chooses which passages are worth scoring for the terms of a question. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

# A passage that holds several of the common words of a question may be worth reading, one that
# holds only one of them is not.
CONJUNCTION_SIZES = (2, 3, 4)
MAX_COMMON_TERMS = 8

Conjunction = tuple[str, ...]
"""Lexemes that a passage has to hold all of."""


def choose_candidates(
    frequencies: Mapping[str, int], *, corpus_size: int, budget: int
) -> list[Conjunction]:
    """Return the conjunctions whose passages are to be scored: about `budget` passages.

    The rarest lexemes come alone while their frequencies fit; then the others two, three or four at
    a time, the smallest expected number of passages first. When even those are too common, as many
    together as it takes. What is left over counts in the score, but finds nothing by itself.
    """
    ordered = sorted(frequencies, key=lambda lexeme: (frequencies[lexeme], lexeme))
    alone = _affordable(ordered, frequencies, budget=budget)
    chosen: list[Conjunction] = [(lexeme,) for lexeme in alone]
    spent = float(sum(frequencies[lexeme] for lexeme in alone))
    common = ordered[len(alone) : len(alone) + MAX_COMMON_TERMS]
    for size in CONJUNCTION_SIZES:
        for group in _by_expected_size(common, size, frequencies, corpus_size=corpus_size):
            expected = _expected_size(group, frequencies, corpus_size=corpus_size)
            is_new = not any(set(wider) <= set(group) for wider in chosen)
            if is_new and spent + expected <= budget:
                chosen.append(group)
                spent += expected
    if not spent and common:
        chosen.append(_narrowest(common, frequencies, corpus_size=corpus_size, budget=budget))
    return chosen


def quote_lexeme(lexeme: str) -> str:
    """Return a lexeme as a literal of the tsquery type: none of it is read as an operator."""
    escaped = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def as_tsquery(conjunctions: Iterable[Conjunction]) -> str:
    """Return the tsquery that matches any of the conjunctions."""
    return " | ".join(f"({' & '.join(map(quote_lexeme, group))})" for group in conjunctions)


def _affordable(
    ordered: Sequence[str], frequencies: Mapping[str, int], *, budget: int
) -> list[str]:
    affordable: list[str] = []
    spent = 0
    for lexeme in ordered:
        spent += frequencies[lexeme]
        if spent > budget:
            break
        affordable.append(lexeme)
    return affordable


def _narrowest(
    common: Sequence[str], frequencies: Mapping[str, int], *, corpus_size: int, budget: int
) -> Conjunction:
    """Return the rarest of the common lexemes, as few as fit together; all when none do."""
    for size in range(1, len(common)):
        group = tuple(common[:size])
        if _expected_size(group, frequencies, corpus_size=corpus_size) <= budget:
            return group
    return tuple(common)


def _by_expected_size(
    lexemes: Sequence[str], size: int, frequencies: Mapping[str, int], *, corpus_size: int
) -> list[Conjunction]:
    groups = combinations(lexemes, size)
    return sorted(
        groups,
        key=lambda group: (_expected_size(group, frequencies, corpus_size=corpus_size), group),
    )


def _expected_size(
    group: Conjunction, frequencies: Mapping[str, int], *, corpus_size: int
) -> float:
    """Return how many passages would hold the whole group if lexemes were independent."""
    size = float(max(corpus_size, 1))
    for lexeme in group:
        size *= min(frequencies[lexeme] / max(corpus_size, 1), 1.0)
    return size
