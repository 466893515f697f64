"""Reads from a question the parts that decide its meaning, for the guards to compare."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from cachemgr.vocabulary.english import (
    AMBIGUOUS_CALENDAR_WORDS,
    ARTICLES,
    AUXILIARIES,
    CALENDAR_WORDS,
    FUNCTION_WORDS,
    MEASURES,
    NEGATIONS,
    NUMBER_WORDS,
    OPENERS,
    OPPOSITES,
    PARTICLE_VERBS,
    PARTICLES,
    PERIOD_ADVERBS,
    PERIODS,
    QUALIFIERS,
    QUESTION_WORDS,
    RELATIVE_DAYS,
    RELATIVE_PERIODS,
    UNITS,
)
from cachemgr.words import Word, split_words, stem_of
from knowledge.lexical import normalise_text

_QUOTED = re.compile(r"[\"“”«»]([^\"“”«»]{1,80})[\"“”«»]")
_NUMBER = re.compile(r"[-+]?\d+(?:[.,:/]\d+)*%?")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_NUMBER_WITH_UNIT = re.compile(r"(\d+(?:\.\d+)?)([a-z]{1,4})")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)")
_CURRENCY = {"$": "usd", "€": "eur", "£": "gbp", "¥": "jpy"}
_INVERTING = frozenset({"of", "for"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The parts of a question that decide its meaning, each in a form that compares by equality."""

    stems: frozenset[str]
    numbers: tuple[str, ...]
    dates: tuple[str, ...]
    identifiers: tuple[str, ...]
    names: frozenset[str]
    negations: tuple[str, ...]
    poles: tuple[tuple[int, int], ...]
    qualifiers: tuple[str, ...]
    content: tuple[str, ...]
    kind: tuple[str, ...]


def read_question(text: str) -> Reading:
    """Return the parts of a question that decide its meaning."""
    normalised = normalise_text(text)
    words = list(split_words(normalised))
    stems = [word.stem for word in words]
    return Reading(
        stems=frozenset(stems),
        numbers=tuple(_numbers(words)),
        dates=_multiset(_dates(words)),
        identifiers=_multiset(_identifiers(words)),
        names=frozenset(_names(words)) | frozenset(_quoted_stems(normalised)),
        negations=_multiset(_negations(words)),
        poles=tuple(sorted(set(_poles(stems)))),
        qualifiers=_multiset(stem for stem in stems if stem in _qualifier_stems()),
        content=tuple(_content(words)),
        kind=tuple(_kind(words)),
    )


def counts_from_today(text: str) -> bool:
    """Tell whether a question means another time when asked on another day."""
    return any("~" in mention for mention in read_question(text).dates)


def _multiset(parts: Iterator[str]) -> tuple[str, ...]:
    return tuple(sorted(parts))


def _numbers(words: list[Word]) -> Iterator[str]:
    """Yield each number with its unit, in order: which number belongs where is part of it."""
    for position, word in enumerate(words):
        value = _value(word)
        if value:
            before = words[position - 1].text if position else ""
            after = words[position + 1].stem if position + 1 < len(words) else ""
            unit = _CURRENCY.get(before) or (after if after in _unit_stems() else "")
            yield f"{value} {unit}".strip()


def _value(word: Word) -> str:
    lowered = _THOUSANDS.sub("", word.text.lower())
    if _NUMBER.fullmatch(lowered) or _ORDINAL.fullmatch(lowered):
        return lowered.removeprefix("+")
    measured = _NUMBER_WITH_UNIT.fullmatch(lowered)
    if measured and measured[2] in UNITS:
        return f"{measured[1]} {measured[2]}"
    return NUMBER_WORDS.get(lowered, "")


def _dates(words: list[Word]) -> Iterator[str]:
    """Yield the dates and periods; "~" marks one that counts from the day of asking."""
    for before, word in pairwise([None, *words]):
        if word is None:
            continue
        lowered = word.text.lower()
        preceding = before.text.lower() if before else ""
        is_calendar = lowered in CALENDAR_WORDS and (
            lowered not in AMBIGUOUS_CALENDAR_WORDS or word.text[0].isupper()
        )
        is_period = word.stem in _period_stems()
        if preceding in RELATIVE_PERIODS and (is_calendar or is_period):
            yield f"~{preceding} {word.stem}"
        elif lowered in RELATIVE_DAYS:
            yield f"~{lowered}"
        elif is_calendar and not (word.is_opener and lowered in AMBIGUOUS_CALENDAR_WORDS):
            yield lowered[:3] if lowered.isalpha() else lowered
        elif is_period or lowered in PERIOD_ADVERBS:
            yield word.stem


def _identifiers(words: list[Word]) -> Iterator[str]:
    """Yield codes, addresses, versions and names such as C++: what a vector hardly sees."""
    for word in words:
        lowered = word.text.lower().removesuffix("'s")
        has_digit = any(map(str.isdigit, lowered))
        has_letter = any(map(str.isalpha, lowered))
        if _value(word):
            continue
        if (has_digit and has_letter) or re.search(r"[@/_#+]|\w\.\w|\w:\w", lowered):
            yield lowered


def _names(words: list[Word]) -> Iterator[str]:
    for word in words:
        bare = word.text.removesuffix("'s")
        lowered = bare.lower()
        if not bare[0].isalpha() or _is_function_word(word) or lowered.startswith("i'"):
            continue
        has_inner_capital = any(map(str.isupper, bare[1:]))
        is_plain_opener = word.is_opener and (
            lowered in OPENERS or lowered in QUESTION_WORDS or lowered in AUXILIARIES
        )
        if has_inner_capital or (bare[0].isupper() and not is_plain_opener):
            yield word.stem


def _quoted_stems(text: str) -> Iterator[str]:
    for quoted in _QUOTED.findall(text):
        yield from (word.stem for word in split_words(quoted))


def _negations(words: list[Word]) -> Iterator[str]:
    for word in words:
        lowered = word.text.lower()
        if lowered.endswith("n't"):
            yield "not"
        elif lowered in NEGATIONS:
            yield NEGATIONS[lowered]


def _poles(stems: list[str]) -> Iterator[tuple[int, int]]:
    """Yield (axis, pole) of every word that has an opposite."""
    axes = _axes()
    for stem in stems:
        yield from axes.get(stem, ())
    for verb, particle in pairwise(stems):
        if verb in _particle_verb_stems() and particle in PARTICLES:
            yield (-1, sorted(PARTICLES).index(particle))


def _content(words: list[Word]) -> Iterator[str]:
    """Yield stems of content words in the order of roles; "period for refunds": refund, period."""
    runs: list[list[str]] = [[]]
    gaps: list[list[str]] = []
    for word in words:
        if not _is_function_word(word):
            runs[-1].append(_value(word) or word.stem)
            continue
        if runs[-1]:
            runs.append([])
            gaps.append([])
        if gaps and word.text.lower() not in ARTICLES:
            gaps[-1].append(word.text.lower())
    ordered = [runs[0]]
    for gap, run in zip(gaps, runs[1:], strict=True):
        if len(gap) == 1 and gap[0] in _INVERTING and run:
            ordered[-1] = [*run, *ordered[-1]]
        else:
            ordered.append(run)
    for run in ordered:
        yield from run


def _is_function_word(word: Word) -> bool:
    """Tell whether a word only connects others; US and IT are names, us and it are not."""
    is_acronym = len(word.text) > 1 and word.text.isupper()
    lowered = word.text.lower().removesuffix("'s")
    return not is_acronym and (lowered in FUNCTION_WORDS or lowered.endswith("n't"))


def _kind(words: list[Word]) -> Iterator[str]:
    """Yield the question words, or what opens a question without one."""
    lowered = [word.text.lower().removesuffix("'s") for word in words]
    asked = []
    for word, after in pairwise([*lowered, ""]):
        if word == "how" and after in MEASURES:
            asked.append(f"how {after}")
        elif word in QUESTION_WORDS:
            asked.append("what" if word == "which" else word)
    if asked:
        yield from sorted(set(asked))
    elif lowered and lowered[0] in AUXILIARIES:
        yield "whether"


@lru_cache(maxsize=1)
def _axes() -> Mapping[str, tuple[tuple[int, int], ...]]:
    axes: dict[str, list[tuple[int, int]]] = {}
    for axis, line in enumerate(OPPOSITES.strip().splitlines()):
        for pole, side in enumerate(line.split("/")):
            for word in side.split():
                axes.setdefault(stem_of(word), []).append((axis, pole))
    return {stem: tuple(poles) for stem, poles in axes.items()}


@lru_cache(maxsize=1)
def _qualifier_stems() -> frozenset[str]:
    return frozenset(map(stem_of, QUALIFIERS))


@lru_cache(maxsize=1)
def _unit_stems() -> frozenset[str]:
    return frozenset(map(stem_of, UNITS))


@lru_cache(maxsize=1)
def _period_stems() -> frozenset[str]:
    return frozenset(map(stem_of, PERIODS))


@lru_cache(maxsize=1)
def _particle_verb_stems() -> frozenset[str]:
    return frozenset(map(stem_of, PARTICLE_VERBS))
