"""Decides whether two similar questions may share an answer: rather a miss than a doubt."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from uuid import UUID

from cachemgr.connectives import Connectives
from cachemgr.forms import differ
from cachemgr.reading import OBJECT, SUBJECT, Reading, canonical_stem, read_question
from cachemgr.roles import same_roles
from cachemgr.vocabulary.connectives import AKIN, AKIN_BEFORE_NAMES, LIGHT_WORDS, OTHERS
from cachemgr.vocabulary.grammar import CONDITIONAL, PAST, PERFECT, PRESENT
from cachemgr.vocabulary.polarity import NEGATING_PREFIXES
from cachemgr.words import stem_of
from retrieval.query.entities import NamedEntities, choose_entities

Guard = Callable[[Reading, Reading], bool]
NO_NAMES: Mapping[str, tuple[UUID, ...]] = MappingProxyType({})
_NOW = frozenset({"~now", "~currently"})
# Where "I", "we" and "you" are anybody.
_IN_GENERAL = frozenset({"how", "where", "whether"})
_COMPATIBLE_TENSES = ({PAST, PERFECT}, {PAST, ""}, {PERFECT, ""}, {PRESENT, ""})


class Addition(StrEnum):
    """What one question says beyond the other.

    A word `APART` stands by itself: it goes before no word of both questions, after no preposition
    and not to the end, where it would narrow what is asked.
    """

    NOTHING = "nothing"
    APART = "apart"


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardReport:
    """The outcome of the guards; `refused_by` names every guard that saw a difference.

    With an `addition` the guards leave the decision to the similarity.
    """

    refused_by: tuple[str, ...] = ()
    addition: Addition = Addition.NOTHING

    @property
    def passed(self) -> bool:
        return not self.refused_by


def check_guards(
    asked: str, stored: str, *, names: Mapping[str, Sequence[UUID]] = NO_NAMES
) -> GuardReport:
    """Compare two questions in everything that a small difference in wording can turn around.

    `names` are the entities known by the names in the questions.
    """
    readings = read_question(asked), read_question(stored)
    refused_by = [name for name, agrees in GUARDS.items() if not agrees(*readings)]
    if "names" not in refused_by and not _same_entities(asked, stored, names):
        refused_by.append("names")
    addition = Addition.NOTHING if "content" in refused_by else find_addition(*readings)
    return GuardReport(refused_by=tuple(refused_by), addition=addition)


def find_addition(asked: Reading, stored: Reading) -> Addition:
    """Return what the longer of two questions adds to the shorter, if one does."""
    added = asked.content ^ stored.content
    return Addition.NOTHING if added <= _light_stems() else Addition.APART


def _same_entities(asked: str, stored: str, names: Mapping[str, Sequence[UUID]]) -> bool:
    """Tell whether both name the same entities, by any of their names, in either case."""
    if not names:
        return True
    known = {name: tuple(ids) for name, ids in names.items()}
    one, other = choose_entities(asked, known), choose_entities(stored, known)
    return all(
        _is_named(name, mine.found.get(name), text, theirs)
        for mine, text, theirs in ((one, stored, other), (other, asked, one))
        for name in (*mine.found, *mine.ambiguous)
    )


def _is_named(name: str, entity: UUID | None, text: str, others: NamedEntities) -> bool:
    return entity in others.found.values() or name.casefold() in text.casefold()


def _same_numbers(asked: Reading, stored: Reading) -> bool:
    """Compare numbers with their units: 14 days is not 30 days, 2 GB is not 2 TB."""
    return asked.numbers == stored.numbers


def _same_dates(asked: Reading, stored: Reading) -> bool:
    """Compare dates and periods; "now" adds nothing, that is when every question is asked."""
    return _but_now(asked.dates) == _but_now(stored.dates)


def _but_now(dates: Sequence[str]) -> list[str]:
    return [mention for mention in dates if mention not in _NOW]


def _same_identifiers(asked: Reading, stored: Reading) -> bool:
    """Compare codes, addresses and versions."""
    return asked.identifiers == stored.identifiers


def _same_names(asked: Reading, stored: Reading) -> bool:
    """A name may be typed in lower case on the other side, but it must be there."""
    return _knows_names(asked, stored) and _knows_names(stored, asked)


def _knows_names(one: Reading, other: Reading) -> bool:
    """A question that has other names in capitals would write this one so too."""
    return one.names <= other.stems and not ((one.inner_names & other.cased) - other.names)


def _same_negation(asked: Reading, stored: Reading) -> bool:
    """Compare "not" and "without", and negating prefixes: unpaid is not paid."""
    return asked.negations == stored.negations and not _negated(asked, stored)


def _negated(asked: Reading, stored: Reading) -> bool:
    only_asked, only_stored = asked.content - stored.content, stored.content - asked.content
    return any(
        f"{prefix}{stem}" in other
        for one, other in ((only_asked, only_stored), (only_stored, only_asked))
        for stem in one
        for prefix in NEGATING_PREFIXES
    )


def _same_polarity(asked: Reading, stored: Reading) -> bool:
    """Neither may be on the other side of a pair like enable and disable."""
    axes = {axis for axis, _ in asked.poles} & {axis for axis, _ in stored.poles}
    return {pole for pole in asked.poles if pole[0] in axes} == {
        pole for pole in stored.poles if pole[0] in axes
    }


def _same_qualifiers(asked: Reading, stored: Reading) -> bool:
    """Compare words that limit, and what both limit: "only managers may" is not "may only"."""
    if asked.qualifiers != stored.qualifiers:
        return False
    both = {limiting for limiting, _ in asked.scopes} & {limiting for limiting, _ in stored.scopes}
    return {scope for scope in asked.scopes if scope[0] in both} == {
        scope for scope in stored.scopes if scope[0] in both
    }


def _same_order(asked: Reading, stored: Reading) -> bool:
    """Words of both questions must play the same roles: who pays whom, from what to what."""
    if {asked.asks_for, stored.asks_for} == {SUBJECT, OBJECT}:
        return False
    shared = asked.content & stored.content
    return (
        asked.passives & shared == stored.passives & shared
        and asked.objects == stored.objects
        and same_roles(asked.roles, stored.roles, shared=shared)
    )


def _same_relations(asked: Reading, stored: Reading) -> bool:
    """Compare prepositions and determiners: for us, by us; this week, that week; ship to, from."""
    one, other = asked.connectives, stored.connectives
    return (
        one.dangling == other.dangling
        and one.particles == other.particles
        and not _govern_apart(one, other, asked.names | stored.names)
        and not _conflict(one.determined, other.determined)
    )


def _govern_apart(one: Connectives, other: Connectives, names: frozenset[str]) -> bool:
    """Tell whether a word of both questions stands after prepositions that say different things."""
    mine, theirs = _by_stem(one.governed), _by_stem(other.governed)
    return any(
        not _are_akin(mine[stem], theirs[stem], is_name=stem in names)
        for stem in mine.keys() & theirs.keys()
    )


def _are_akin(one: frozenset[str], other: frozenset[str], *, is_name: bool) -> bool:
    return one == other or (one | other) in (AKIN_BEFORE_NAMES if is_name else AKIN)


def _by_stem(relations: frozenset[tuple[str, str]]) -> dict[str, frozenset[str]]:
    by_stem: dict[str, frozenset[str]] = {}
    for stem, relation in relations:
        by_stem[stem] = by_stem.get(stem, frozenset()) | {relation}
    return by_stem


def _conflict(one: frozenset[tuple[str, str]], other: frozenset[tuple[str, str]]) -> bool:
    """Tell whether a word has something in both questions, and not the same."""
    shared = {stem for stem, _ in one} & {stem for stem, _ in other}
    return {each for each in one if each[0] in shared} != {
        each for each in other if each[0] in shared
    }


def _same_persons(asked: Reading, stored: Reading) -> bool:
    """Compare who does and whose it is; "how do I" is "how do we"."""
    one, other = asked.connectives.persons, stored.connectives.persons
    if _of_others(one) != _of_others(other):
        return False
    kinds = {*asked.kind, *stored.kind}
    if kinds == {"how"}:
        return True
    owners = {slot for slot in (one | other) if slot[0] != SUBJECT}
    is_anybody = kinds in ({"where"}, {"why"})
    return not _conflict(one & owners, other & owners) if is_anybody else not _conflict(one, other)


def _of_others(persons: frozenset[tuple[str, str]]) -> set[tuple[str, str]]:
    return {each for each in persons if each[1] in OTHERS}


def _same_forms(asked: Reading, stored: Reading) -> bool:
    """Compare endings that turn a word around: selling and sold, late and lately."""
    return not differ(asked.forms, stored.forms, asked.content & stored.content)


def _same_content(asked: Reading, stored: Reading) -> bool:
    """Nothing may stand in the place of something else; one question may say one word more.

    One that narrows is refused, however similar the questions: "net price" is not "price".
    """
    added = asked.content ^ stored.content
    if added <= _light_stems():
        return True
    longer, shorter = sorted((asked, stored), key=lambda each: -len(each.content))
    is_addition = longer.content >= shorter.content and len(added) == 1
    return is_addition and added.isdisjoint(longer.narrowing)


@lru_cache(maxsize=1)
def _light_stems() -> frozenset[str]:
    return frozenset(map(canonical_stem, map(stem_of, LIGHT_WORDS)))


def _same_tense(asked: Reading, stored: Reading) -> bool:
    """Compare past, present, future, and what can be; the perfect may be past or present."""
    if asked.modality != stored.modality:
        return False
    tenses = {asked.tense, stored.tense}
    if tenses == {CONDITIONAL, PRESENT} and _IN_GENERAL.issuperset(asked.kind):
        return True
    return len(tenses) == 1 or tenses in _COMPATIBLE_TENSES


def _same_kind(asked: Reading, stored: Reading) -> bool:
    """Compare what is asked for: who, when, how much; keywords ask what something is, or who."""
    if asked.kind == stored.kind:
        return True
    return not (asked.kind and stored.kind) and asked.asks_what_is and stored.asks_what_is


def _same_language(asked: Reading, stored: Reading) -> bool:
    """An answer has the language of its question; where that is unclear, either will do."""
    return not (asked.language and stored.language) or asked.language == stored.language


GUARDS: Mapping[str, Guard] = {
    "numbers": _same_numbers,
    "dates": _same_dates,
    "identifiers": _same_identifiers,
    "names": _same_names,
    "negation": _same_negation,
    "polarity": _same_polarity,
    "qualifiers": _same_qualifiers,
    "order": _same_order,
    "relations": _same_relations,
    "persons": _same_persons,
    "forms": _same_forms,
    "content": _same_content,
    "tense": _same_tense,
    "kind": _same_kind,
    "language": _same_language,
}
