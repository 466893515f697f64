"""Reads what the small words of a question say: where, whose, by whom, in which form."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from cachemgr.vocabulary.connectives import (
    ASKERS,
    ASKING_CASES,
    DETERMINERS,
    FEW,
    MARKERS,
    PERSONS,
    RELATIONS,
    SEPARABLE,
    VAGUE,
    WEIGHTY,
    WHOLES,
)
from cachemgr.vocabulary.grammar import ARTICLES, AUXILIARIES, FILLERS, KINDS
from cachemgr.vocabulary.polarity import NEGATIONS
from cachemgr.words import Word


@dataclass(frozen=True, slots=True, kw_only=True)
class Connectives:
    """What connecting words say.

    `governed` are the words right after a preposition, with its class; `determined` those after
    "this", "some"; `dangling` the prepositions with nothing after them, or only what is asked for:
    "to whom", "ship to". `persons` tell who does and whose it is. `particles` have to be the same.
    """

    governed: frozenset[tuple[str, str]]
    dangling: tuple[str, ...]
    determined: frozenset[tuple[str, str]]
    persons: frozenset[tuple[str, str]]
    particles: tuple[str, ...]


def read_connectives(
    words: Sequence[Word], language: str, stem_of: Callable[[Word], str]
) -> Connectives:
    """Return what the connecting words say; `stem_of` gives what a word adds, "" for nothing."""
    stems = [stem_of(word) for word in words]
    if language in WEIGHTY:
        return Connectives(
            governed=frozenset(),
            dangling=tuple(_asked_of(words, language)),
            determined=frozenset(_articles(words, stems)) if language == "de" else frozenset(),
            persons=frozenset(),
            particles=tuple(sorted(_foreign_particles(words, language))),
        )
    governed, dangling = _relations(words, stems)
    return Connectives(
        governed=frozenset(governed),
        dangling=tuple(sorted(dangling)),
        determined=frozenset(_determined(words, stems)) | frozenset(_joined(words, stems)),
        persons=frozenset(PERSONS[word.lowered] for word in words if _is_person(word)),
        particles=tuple(sorted(_particles(words))),
    )


_JOINING = frozenset({"and", "with", "without"})
_NO_PLACE = ASKERS | frozenset({"this", "it", "someone", "somebody", "people"})
_INFINITIVES = FILLERS | AUXILIARIES | frozenset({"be", "let", "having"})
_SKIPPED = ARTICLES | ASKERS | frozenset(DETERMINERS)


def _is_person(word: Word) -> bool:
    return word.lowered in PERSONS and not (len(word.text) > 1 and word.text.isupper())


def _relations(
    words: Sequence[Word], stems: Sequence[str]
) -> tuple[list[tuple[str, str]], list[str]]:
    governed: list[tuple[str, str]] = []
    dangling: list[str] = []
    for position, word in enumerate(words):
        relation = RELATIONS.get(word.lowered)
        if relation is None or stems[position]:
            continue
        after = words[position + 1].lowered if position + 1 < len(words) else ""
        stem = _governed_by(position, words, stems)
        if stem:
            governed.append((stem, relation))
        elif not (_says_who_asks(relation, after) or (relation == "to" and after in _INFINITIVES)):
            dangling.append(relation)
    return governed, dangling


def _says_who_asks(relation: str, after: str) -> bool:
    """Tell of "for me", "in this": not of "assigned to me", "by me"."""
    return after in _NO_PLACE and relation in VAGUE


def _governed_by(position: int, words: Sequence[Word], stems: Sequence[str]) -> str:
    for after in range(position + 1, len(words)):
        if stems[after]:
            return stems[after]
        if words[after].lowered not in _SKIPPED or words[after].lowered in FILLERS:
            return ""
    return ""


def _determined(words: Sequence[Word], stems: Sequence[str]) -> Iterator[tuple[str, str]]:
    for word, after in zip(words, stems[1:], strict=False):
        determiner = DETERMINERS.get(word.lowered)
        if determiner and after:
            yield after, determiner


def _joined(words: Sequence[Word], stems: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield how two words are put together: "deals and contacts" are not "deals of contacts"."""
    for before, after in pairwise(stems):
        if before and after:
            yield f"{before} {after}", "phrase"
    for place, word in enumerate(words[1:-1], start=1):
        pair = stems[place - 1], stems[place + 1]
        if all(pair) and (word.lowered in RELATIONS or word.lowered == "and"):
            yield " ".join(pair), word.lowered if word.lowered in _JOINING else "phrase"


def _articles(words: Sequence[Word], stems: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the German articles that tell who does and to whom."""
    for word, after in zip(words, stems[1:], strict=False):
        if after and word.lowered in {"der", "den", "dem"}:
            yield after, word.lowered


def _particles(words: Sequence[Word]) -> Iterator[str]:
    """Yield what has to be in both: "else", "a few", "used to", and "all" after "not"."""
    is_denied = False
    for before, word in zip([None, *words], words, strict=False):
        is_denied = is_denied or word.lowered in NEGATIONS or word.lowered.endswith("n't")
        if word.lowered in MARKERS:
            yield word.lowered
        elif is_denied and word.lowered in WHOLES:
            yield f"not {word.lowered}"
        elif word.lowered == "to" and before is not None and before.lowered in {"use", "used"}:
            yield "used to"
        elif word.lowered in FEW and before is not None and before.lowered == "a":
            yield f"a {word.lowered}"


def _foreign_particles(words: Sequence[Word], language: str) -> Iterator[str]:
    kinds: Mapping[str, str] = KINDS[language]
    for place, word in enumerate(words, start=1):
        is_last = place == len(words) or words[place].follows_comma or words[place].is_opener
        is_separated = language == "de" and is_last and word.lowered in SEPARABLE
        is_weighty = word.lowered in WEIGHTY[language] and word.lowered not in kinds
        if is_separated or is_weighty or word.lowered in ASKING_CASES:
            yield word.lowered


def _asked_of(words: Sequence[Word], language: str) -> Iterator[str]:
    """Yield what stands before a word that asks: "à qui", "de qui", "por quién"."""
    kinds = KINDS[language]
    for before, word in pairwise(words):
        if word.lowered in kinds and before.lowered not in kinds:
            yield before.lowered
