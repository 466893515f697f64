"""Reads who does what to whom from the order of words: "A pays B" is not "B pays A"."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

from cachemgr.vocabulary.grammar import (
    ARTICLES,
    COORDINATORS,
    DIRECTIONS,
    LIMITING_PREPOSITIONS,
    LOOSE_PREPOSITIONS,
    SOFT_DIRECTIONS,
    STRICT_DIRECTIONS,
)

Sequenced = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleWord:
    """A word as roles see it: `stem` is "" for a word that only connects others."""

    lowered: str
    stem: str
    follows_comma: bool = False
    is_name: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """The order of the words of a question, in forms that ignore what does not change roles.

    `plain` is as said, which tells roles where `is_simple`: one preposition at most. `heads_last`
    reads "the period of refunds" as "refunds period"; `compounds` does so next to the last word
    only: "reduce stress at work" is "reduce work stress". `core` are the words outside
    prepositional phrases, `phrases` those inside, by preposition: those of different ones may
    change places. `directed` tells which word is where from, where to, by whom.
    """

    is_simple: bool
    plain: Sequenced
    heads_last: Sequenced
    compounds: Sequenced
    core: Sequenced
    phrases: tuple[tuple[str, Sequenced], ...]
    directed: frozenset[tuple[str, str]]


@dataclass(slots=True)
class _Run:
    """Content words that stand together, and the connecting words before them."""

    before: list[str] = field(default_factory=list)
    follows_comma: bool = False
    stems: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


def read_roles(words: Sequence[RoleWord]) -> Roles:
    """Return the order of the words."""
    runs = _merge_coordinated(_runs(words))
    return Roles(
        is_simple=sum(1 for run in runs if _preposition(run)) <= 1,
        plain=tuple(stem for run in runs for stem in run.stems),
        heads_last=tuple(_inverted(runs, keep=0)),
        compounds=tuple(_inverted(runs, keep=1)),
        core=tuple(stem for run in runs if not _preposition(run) for stem in run.stems),
        phrases=tuple(
            sorted(
                (
                    (preposition, tuple(run.stems))
                    for run in runs
                    if (preposition := _preposition(run))
                ),
                key=itemgetter(0),
            )
        ),
        directed=frozenset(_directed(runs)),
    )


def same_roles(first: Roles, second: Roles, *, shared: Collection[str]) -> bool:
    """Tell whether the shared words play the same roles in both."""

    def only(stems: Sequence[str]) -> list[str]:
        return [stem for stem in stems if stem in shared]

    return _same_directions(first, second, shared) and (
        (first.is_simple and second.is_simple and only(first.plain) == only(second.plain))
        or only(first.heads_last) == only(second.heads_last)
        or only(first.compounds) == only(second.compounds)
        or (first.core == second.core and first.phrases == second.phrases)
    )


def _runs(words: Sequence[RoleWord]) -> list[_Run]:
    runs = [_Run()]
    for word in words:
        is_broken = word.follows_comma or not (word.stem or word.lowered in ARTICLES)
        if runs[-1].stems and is_broken:
            runs.append(_Run())
        _extend(runs[-1], word)
    return [run for run in runs if run.stems]


def _extend(run: _Run, word: RoleWord) -> None:
    if not run.stems:
        run.follows_comma = run.follows_comma or word.follows_comma
    if word.stem:
        run.stems.append(word.stem)
    elif word.lowered not in ARTICLES:
        run.before.append(word.lowered)
    if word.stem and word.is_name:
        run.names.append(word.stem)


def _merge_coordinated(runs: Sequence[_Run]) -> list[_Run]:
    """Sort what "and", "or", "versus" put side by side: "A and B" is "B and A"."""
    merged: list[_Run] = []
    chain: list[_Run] = []
    for run in runs:
        if chain and _is_coordinated(run):
            chain.append(run)
            continue
        merged += _sorted_chain(chain)
        chain = [run]
    return [*merged, *_sorted_chain(chain)]


def _is_coordinated(run: _Run) -> bool:
    if run.follows_comma and not run.before:
        return True
    return bool(run.before) and run.before[0] in COORDINATORS and len(run.before) == 1


def _sorted_chain(chain: Sequence[_Run]) -> list[_Run]:
    """Return a chain of coordinated runs as one, its units sorted; unequal ones stay apart."""
    is_list = any(run.before and run.before[0] in COORDINATORS for run in chain[1:])
    if not is_list:
        return list(chain)
    length = min(len(run.stems) for run in chain)
    first, last = chain[0], chain[-1]
    if any(len(run.stems) != length for run in chain[1:-1]):
        return list(chain)
    units = [
        first.stems[-length:],
        *(run.stems for run in chain[1:-1]),
        last.stems[:length],
    ]
    head = units[0][-1:] if length > 1 and len({unit[-1] for unit in units}) == 1 else []
    units = [unit[:-1] for unit in units] if head else units
    chain_units = [stem for unit in sorted(units) for stem in unit]
    stems = [*first.stems[:-length], *chain_units, *head, *last.stems[length:]]
    return [
        _Run(
            before=first.before,
            follows_comma=first.follows_comma,
            stems=stems,
            names=[name for run in chain for name in run.names],
        )
    ]


def _preposition(run: _Run) -> str:
    """Return the class of the preposition that governs a run, "" for none."""
    for word in reversed(run.before):
        if word in DIRECTIONS:
            return DIRECTIONS[word]
        if word in LOOSE_PREPOSITIONS or word in LIMITING_PREPOSITIONS:
            return word
        if word not in COORDINATORS:
            return ""
    return ""


def _inverted(runs: Sequence[_Run], *, keep: int) -> list[str]:
    """Return the stems with "X of Y" as "Y X"; `keep` words more of X stay before Y."""
    ordered: list[list[str]] = []
    for run in runs:
        is_loose = len(run.before) == 1 and run.before[0] in LOOSE_PREPOSITIONS
        if ordered and is_loose and not run.follows_comma:
            before = ordered[-1]
            place = max(len(before) - 1, 0) if keep else 0
            ordered[-1] = [*before[:place], *run.stems, *before[place:]]
        else:
            ordered.append(list(run.stems))
    return [stem for stems in ordered for stem in stems]


def _directed(runs: Sequence[_Run]) -> Iterator[tuple[str, str]]:
    for run in runs:
        direction = _preposition(run)
        if direction in STRICT_DIRECTIONS:
            yield from ((stem, direction) for stem in run.stems)
        elif direction in DIRECTIONS.values():
            yield from ((stem, direction) for stem in run.stems[:1] if stem in run.names)


def _same_directions(first: Roles, second: Roles, shared: Collection[str]) -> bool:
    """A soft direction differs from other directions only, not from none."""
    one, other = dict(first.directed), dict(second.directed)
    return not any(_differ(one.get(stem, ""), other.get(stem, "")) for stem in shared)


def _differ(direction: str, other: str) -> bool:
    if direction == other:
        return False
    is_one_open = not (direction and other)
    return not is_one_open or not {direction, other} <= {"", *SOFT_DIRECTIONS}
