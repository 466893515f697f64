"""Decides whether two similar questions may share an answer: rather a miss than a doubt."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cachemgr.reading import Reading, read_question

Guard = Callable[[Reading, Reading], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardReport:
    """The outcome of the guards; `refused_by` names every guard that saw a difference."""

    refused_by: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return not self.refused_by


def check_guards(asked: str, stored: str) -> GuardReport:
    """Compare two questions in everything that a small difference in wording can turn around."""
    readings = read_question(asked), read_question(stored)
    return GuardReport(
        refused_by=tuple(name for name, agrees in GUARDS.items() if not agrees(*readings))
    )


def _same_numbers(asked: Reading, stored: Reading) -> bool:
    return asked.numbers == stored.numbers


def _same_dates(asked: Reading, stored: Reading) -> bool:
    return asked.dates == stored.dates


def _same_identifiers(asked: Reading, stored: Reading) -> bool:
    return asked.identifiers == stored.identifiers


def _same_names(asked: Reading, stored: Reading) -> bool:
    """A name may be typed in lower case on the other side, but it must be there."""
    return asked.names <= stored.stems and stored.names <= asked.stems


def _same_negation(asked: Reading, stored: Reading) -> bool:
    return asked.negations == stored.negations


def _same_polarity(asked: Reading, stored: Reading) -> bool:
    return asked.poles == stored.poles


def _same_qualifiers(asked: Reading, stored: Reading) -> bool:
    return asked.qualifiers == stored.qualifiers


def _same_order(asked: Reading, stored: Reading) -> bool:
    """Words in both questions must stand in the same order: who pays whom, from what to what."""
    shared = set(asked.content) & set(stored.content)
    return list(_only(shared, asked)) == list(_only(shared, stored))


def _no_substitution(asked: Reading, stored: Reading) -> bool:
    """One question may say more than the other, but not put one thing in the place of another."""
    return set(asked.content) <= set(stored.content) or set(asked.content) >= set(stored.content)


def _same_kind(asked: Reading, stored: Reading) -> bool:
    return asked.kind == stored.kind


def _only(shared: set[str], reading: Reading) -> Iterator[str]:
    return (stem for stem in reading.content if stem in shared)


GUARDS: dict[str, Guard] = {
    "numbers": _same_numbers,
    "dates": _same_dates,
    "identifiers": _same_identifiers,
    "names": _same_names,
    "negation": _same_negation,
    "polarity": _same_polarity,
    "qualifiers": _same_qualifiers,
    "order": _same_order,
    "substitution": _no_substitution,
    "kind": _same_kind,
}
