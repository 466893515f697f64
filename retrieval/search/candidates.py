"""Chooses which passages are worth scoring for the terms of a question. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

# A passage that holds several of the common words of a question may be worth reading, one that
# holds only one of them is not, unless it repeats it.
HELD_TOGETHER = (2, 3, 4)
REPEATED_TOGETHER = (1, 2, 3, 4)
MAX_COMMON_TERMS = 8
# An index is read once for every passage that matches the rarest lexeme of a conjunction, which for
# the commonest words is most of the corpus: so many times the budget may be read so. Of repeated
# lexemes the rarest may always be read.
READ_PER_BUDGET = 10
# The other lists of conjunctions are skipped through, which costs more the longer they are: so many
# times the budget all of them may hold. Where not even one fits, its commonest lexeme is left out,
# if no more than so many times the budget are then expected to match.
SKIPPED_PER_BUDGET = 150
SHORTENED_PER_BUDGET = 1.5
# Passages that only hold a rare word, or common ones together, may take this share of the budget.
HELD_SHARE = 1 / 4
# What repeats a word may be next to nothing. Then passages that hold it are read, however many.
LEAST_SHARE = 0.05

Conjunction = tuple[str, ...]
"""Lexemes that a passage has to hold all of, or has to repeat all of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Passages to score: those that hold one of the conjunctions, or repeat one of the others.

    A lexeme is repeated where it occurs more than once.
    """

    held: tuple[Conjunction, ...] = ()
    repeated: tuple[Conjunction, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many passages of a corpus hold each lexeme, and how many repeat it."""

    corpus_size: int
    held: Mapping[str, int]
    repeated: Mapping[str, int]


def choose_candidates(counts: Counts, *, budget: int) -> Candidates:
    """Return whose passages are to be scored: about `budget`.

    For a quarter of it the rarest lexemes come alone while their frequencies fit, then the others
    two, three or four at a time, the smallest expected number of passages first. What share of that
    was not needed is left of the whole for passages that repeat one of the others, or several: as a
    tiered index does (Manning, Raghavan and Schuetze, "Introduction to Information Retrieval",
    2008, 7.2.1), this looks where common words weigh most. What is left over counts in the score,
    but finds nothing by itself.
    """
    ordered = sorted(counts.held, key=lambda lexeme: (counts.held[lexeme], lexeme))
    most_held = budget * HELD_SHARE
    alone = _affordable(ordered, counts.held, budget=most_held)
    spent = float(sum(counts.held[lexeme] for lexeme in alone))
    common = ordered[len(alone) : len(alone) + MAX_COMMON_TERMS]
    most_read = budget * READ_PER_BUDGET
    holding = _Expectation(corpus_size=counts.corpus_size, frequencies=counts.held)
    groups = holding.conjunctions(common, HELD_TOGETHER, most_read=most_read)
    together = holding.within_lists(
        holding.take(groups, most=most_held - spent), longest=budget * SKIPPED_PER_BUDGET
    )
    spent += holding.total(together)
    repeating = _Expectation(corpus_size=counts.corpus_size, frequencies=counts.repeated)
    most_read = max(most_read, min((counts.repeated[lexeme] for lexeme in common), default=0))
    most = budget * (1 - spent / most_held)
    groups = repeating.conjunctions(common, REPEATED_TOGETHER, most_read=most_read)
    repeated = repeating.within_lists(
        repeating.take(groups, most=most),
        longest=budget * SKIPPED_PER_BUDGET,
        most=budget * SHORTENED_PER_BUDGET,
    )
    spent += repeating.total(repeated)
    held = [*((lexeme,) for lexeme in alone), *together]
    if common and spent < LEAST_SHARE * budget:
        # Where more than wanted repeat all of them, those are read; else whatever holds them.
        repeating_all = tuple(sorted(common, key=lambda lexeme: (counts.repeated[lexeme], lexeme)))
        if not repeated and repeating.of(repeating_all) > budget:
            repeated = [repeating_all]
        else:
            narrowest = holding.narrowest(common, budget=budget)
            held = [*(group for group in held if not set(narrowest) <= set(group)), narrowest]
    return Candidates(held=tuple(held), repeated=tuple(repeated))


def quote_lexeme(lexeme: str) -> str:
    """Return a lexeme as a literal of the tsquery type: none of it is read as an operator."""
    escaped = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def as_tsquery(conjunctions: Iterable[Conjunction]) -> str:
    """Return the tsquery that matches any of the conjunctions.

    What several begin with is asked once: the query is evaluated for every passage on a list.
    """
    beginnings: dict[str, list[Conjunction]] = {}
    for first, *others in conjunctions:
        beginnings.setdefault(first, []).append(tuple(others))
    return " | ".join(
        quote_lexeme(first)
        if () in endings
        else f"({quote_lexeme(first)} & ({as_tsquery(endings)}))"
        for first, endings in beginnings.items()
    )


def _affordable(
    ordered: Sequence[str], frequencies: Mapping[str, int], *, budget: float
) -> list[str]:
    affordable: list[str] = []
    spent = 0
    for lexeme in ordered:
        spent += frequencies[lexeme]
        if spent > budget:
            break
        affordable.append(lexeme)
    return affordable


@dataclass(frozen=True, slots=True, kw_only=True)
class _Expectation:
    """How many passages conjunctions are expected to leave."""

    corpus_size: int
    frequencies: Mapping[str, int]

    def of(self, group: Conjunction) -> float:
        """Return how many passages would match the whole group if lexemes were independent."""
        corpus_size = max(self.corpus_size, 1)
        size = float(corpus_size)
        for lexeme in group:
            size *= min(self.frequencies[lexeme] / corpus_size, 1.0)
        return size

    def total(self, groups: Iterable[Conjunction]) -> float:
        """Return how many passages at most match one of the groups."""
        return sum(map(self.of, groups))

    def conjunctions(
        self, lexemes: Iterable[str], sizes: Iterable[int], *, most_read: int
    ) -> Iterator[Conjunction]:
        """Yield the groups of each size in turn, the smallest expected number first.

        A group is found by its rarest lexeme, its first, which at most `most_read` passages match.
        """
        ordered = sorted(lexemes, key=lambda lexeme: (self.frequencies[lexeme], lexeme))
        for size in sizes:
            groups = [
                group
                for group in combinations(ordered, size)
                if self.frequencies[group[0]] <= most_read
            ]
            yield from sorted(groups, key=lambda group: (self.of(group), group))

    def take(self, groups: Iterable[Conjunction], *, most: float) -> list[Conjunction]:
        """Return the groups that fit, in turn, without those that narrow one taken before."""
        taken: list[Conjunction] = []
        for group in groups:
            expected = self.of(group)
            if expected <= most and not any(set(wider) <= set(group) for wider in taken):
                taken.append(group)
                most -= expected
        return taken

    def within_lists(
        self, groups: Sequence[Conjunction], *, longest: int, most: float = 0
    ) -> list[Conjunction]:
        """Return the groups, in turn, whose lists together are not too long to skip through.

        Where not one is left, the first without its commonest lexeme, if `most` or fewer match.
        """
        kept: list[Conjunction] = []
        listed: set[str] = set()
        for group in groups:
            if self._listed(listed.union(group)) <= longest:
                kept.append(group)
                listed.update(group)
        if groups and not kept:
            shorter = groups[0][:-1]
            kept.append(shorter if shorter and self.of(shorter) <= most else groups[0])
        return kept

    def _listed(self, lexemes: Iterable[str]) -> int:
        return sum(self.frequencies[lexeme] for lexeme in lexemes)

    def narrowest(self, common: Sequence[str], *, budget: int) -> Conjunction:
        """Return the rarest of the common lexemes, as few as fit together; all when none do."""
        for size in range(1, len(common)):
            group = tuple(common[:size])
            if self.of(group) <= budget:
                return group
        return tuple(common)
