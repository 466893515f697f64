"""Reads from a question the parts that decide its meaning, for the guards to compare."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise

from cachemgr.connectives import Connectives, read_connectives
from cachemgr.forms import read_forms
from cachemgr.language import detect_language, may_be_foreign
from cachemgr.quantities import read_dates, read_identifiers, read_numbers, value_of
from cachemgr.roles import Roles, RoleWord, read_roles
from cachemgr.tense import read_modality, read_tense
from cachemgr.vocabulary.connectives import NAMES_AND_WORDS, RELATIONS
from cachemgr.vocabulary.grammar import (
    AUXILIARIES,
    BE,
    COORDINATORS,
    COPULAS,
    DO_SUPPORT,
    FILLERS,
    FUNCTION_WORDS_BY_LANGUAGE,
    KINDS,
    MEASURES,
    OBJECTS,
    OPENERS,
    PARTICIPLES,
    REFLEXIVES,
    SOFT_DIRECTIONS,
    STRESSED,
)
from cachemgr.vocabulary.polarity import (
    NEGATIONS,
    NEGATIONS_BY_LANGUAGE,
    OPPOSITES,
    PARTICLE_VERBS,
    PARTICLES,
    QUALIFIERS,
)
from cachemgr.vocabulary.synonyms import BEST, PHRASES, synonym_lines
from cachemgr.words import Word, split_words, stem_of
from knowledge.lexical import normalise_text

SUBJECT, OBJECT = "subject", "object"
_QUOTED = re.compile(r"[\"“”«»]([^\"“”«»]{1,80})[\"“”«»]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The parts of a question that decide its meaning, each in a form that compares by equality."""

    language: str
    kind: tuple[str, ...]
    asks_what_is: bool
    asks_for: str
    tense: str
    passives: frozenset[str]
    modality: str
    objects: tuple[str, ...]
    stems: frozenset[str]
    numbers: tuple[str, ...]
    dates: tuple[str, ...]
    identifiers: tuple[str, ...]
    names: frozenset[str]
    negations: tuple[str, ...]
    poles: tuple[tuple[int, int], ...]
    qualifiers: tuple[str, ...]
    scopes: frozenset[tuple[str, str]]
    content: frozenset[str]
    narrowing: frozenset[str]
    roles: Roles
    connectives: Connectives
    forms: frozenset[tuple[str, str]]
    inner_names: frozenset[str]
    cased: frozenset[str]


@lru_cache(maxsize=4_096)
def read_question(text: str) -> Reading:
    """Return the parts of a question that decide its meaning."""
    normalised = normalise_text(text)
    language = detect_language(normalised)
    grammar = language or "en"
    words = list(split_words(_rephrase(normalised)))
    stems = [word.stem for word in words]
    kind = tuple(_kind(words, grammar))
    names = {*_names(words, language), *_quoted_stems(normalised)}
    return Reading(
        language=language,
        kind=kind,
        asks_what_is=_asks_what_is(words, grammar),
        asks_for=_asks_for(words),
        tense=read_tense(words, grammar),
        passives=frozenset(_passives(words)),
        modality=read_modality(words, kind),
        objects=_multiset(_objects(words)),
        stems=frozenset(_known_stems(words, language)),
        numbers=tuple(read_numbers(words)),
        dates=_multiset(read_dates(words)),
        identifiers=_multiset(read_identifiers(words)),
        names=frozenset(names),
        negations=_multiset(_negations(words, language)),
        poles=tuple(sorted(set(_poles(stems)))),
        qualifiers=_multiset(_qualifiers(words, kind)),
        scopes=frozenset(_scopes(words, language)),
        content=frozenset(_content_stem(word, language) for word in words) - {""},
        narrowing=frozenset(_narrowing(words, language)),
        roles=read_roles(list(_role_words(words, language))),
        connectives=read_connectives(words, language, partial(_content_stem, language=language)),
        forms=frozenset(
            read_forms(
                words,
                partial(_content_stem, language=language),
                is_foreign=may_be_foreign(normalised),
            )
        ),
        inner_names=frozenset(_names([word for word in words if not word.is_opener], language)),
        cased=frozenset(_cased(words)),
    )


def _rephrase(text: str) -> str:
    """Return the text with phrases that mean the same written the same way."""
    for pattern, replacement in _phrases():
        text = pattern.sub(replacement, text)
    return text


def canonical_stem(stem: str) -> str:
    """Return the stem that stands for all words of the same meaning."""
    return _synonyms().get(stem, stem).replace("iz", "is")


def counts_from_today(text: str) -> bool:
    """Tell whether a question means another time when asked on another day."""
    return any("~" in mention for mention in read_question(text).dates)


def _multiset(parts: Iterator[str]) -> tuple[str, ...]:
    return tuple(sorted(parts))


def _content_stem(word: Word, language: str) -> str:
    """Return what a word adds to the meaning, "" for nothing."""
    if word.lowered in FILLERS or _is_function_word(word, language):
        return ""
    return value_of(word) or canonical_stem(word.stem)


# Before a verb, in English.
INFINITIVE = "to"


def _narrowing(words: list[Word], language: str) -> Iterator[str]:
    """Yield the words that narrow what is asked, were they said beyond another question.

    They stand before another ("net price") or an infinitive ("fail to pay"), after a preposition
    ("by default"), at the end ("pay upfront"), or tell how ("paid automatically").
    """
    for before, word, after in zip([None, *words], words, [*words[1:], None], strict=False):
        stem = _content_stem(word, language)
        if stem and (
            after is None
            or after.is_opener
            or _content_stem(after, language)
            or after.lowered == INFINITIVE
            or word.lowered.endswith("ly")
            or before is None
            or before.lowered in RELATIONS
        ):
            yield stem


def _role_words(words: list[Word], language: str) -> Iterator[RoleWord]:
    for word in words:
        stem = _content_stem(word, language)
        # "Which is the best book" is "Which book is best".
        if word.lowered not in FILLERS and stem != BEST:
            yield RoleWord(
                lowered=word.lowered,
                stem=stem,
                follows_comma=word.follows_comma,
                is_name=word.text[0].isupper() and not word.is_opener,
            )


def _known_stems(words: list[Word], language: str) -> Iterator[str]:
    """Yield what names of the other question are looked for in; "us" is not the US."""
    for word in words:
        if not _is_function_word(word, language):
            yield from (word.stem, canonical_stem(word.stem))


def _cased(words: list[Word]) -> Iterator[str]:
    """Yield the everyday words that would be names in capitals, where capitals are written."""
    if words and words[0].text[0].isupper():
        for word in words:
            if word.text in NAMES_AND_WORDS:
                yield canonical_stem(word.stem)


def _names(words: list[Word], language: str) -> Iterator[str]:
    for word in words:
        bare = word.text.removesuffix("'s")
        lowered = bare.lower()
        if not bare[0].isalpha() or lowered.startswith("i'"):
            continue
        if lowered in FILLERS or _is_function_word(word, language):
            continue
        has_inner_capital = any(map(str.isupper, bare[1:]))
        if has_inner_capital or (bare[0].isupper() and not _is_plain_opener(word, language)):
            yield canonical_stem(word.stem)


def _is_plain_opener(word: Word, language: str) -> bool:
    return word.is_opener and (
        word.lowered in OPENERS
        or word.lowered in AUXILIARIES
        or word.lowered in KINDS[language or "en"]
    )


def _quoted_stems(text: str) -> Iterator[str]:
    for quoted in _QUOTED.findall(text):
        for word in split_words(quoted):
            if not _is_function_word(word, ""):
                yield canonical_stem(word.stem)


def _negations(words: list[Word], language: str) -> Iterator[str]:
    own = NEGATIONS_BY_LANGUAGE.get(language, {})
    for word in words:
        negation = own.get(word.lowered, NEGATIONS.get(word.lowered, ""))
        if word.lowered.endswith("n't"):
            negation = "not"
        if negation:
            yield negation


def _poles(stems: list[str]) -> Iterator[tuple[int, int]]:
    """Yield (axis, pole) of every word that has an opposite."""
    axes = _axes()
    for stem in stems:
        yield from axes.get(stem, axes.get(canonical_stem(stem), ()))
    for verb, particle in pairwise(stems):
        if verb in _particle_verb_stems() and particle in PARTICLES:
            yield (-1, sorted(PARTICLES).index(particle))


def _qualifiers(words: list[Word], kind: tuple[str, ...]) -> Iterator[str]:
    """Yield what limits the question; "how should I" asks no more than "how do I"."""
    is_open = not {"how", "why"}.isdisjoint(kind)
    for word in words:
        if word.stem in _qualifier_stems() and not (is_open and word.lowered == "should"):
            yield word.stem


def _scopes(words: list[Word], language: str) -> Iterator[tuple[str, str]]:
    """Yield each word that limits or denies, with the word it stands before: only managers."""
    limiting = ""
    for word in words:
        stem = _content_stem(word, language)
        if limiting and stem:
            yield limiting, stem
            limiting = ""
        if word.lowered in NEGATIONS:
            limiting = NEGATIONS[word.lowered]
        elif word.stem in _qualifier_stems() and word.lowered not in COORDINATORS:
            limiting = word.stem


def _is_function_word(word: Word, language: str) -> bool:
    """Tell whether a word only connects others; US and IT are names, us and it are not."""
    is_acronym = len(word.text) > 1 and word.text.isupper() and word.lowered not in STRESSED
    is_function = word.lowered in FUNCTION_WORDS_BY_LANGUAGE[language]
    return (is_function or word.lowered.endswith("n't")) and not is_acronym


def _kind(words: list[Word], language: str) -> Iterator[str]:
    """Yield what is asked for: the question words, or whether something is so."""
    kinds = KINDS[language]
    lowered = [word.lowered for word in words]
    asked = set()
    for word, after in pairwise([*lowered, ""]):
        kind = kinds.get(word, "")
        if kind:
            asked.add(f"{kind} {after}" if kind == "how" and after in MEASURES else kind)
    if asked:
        yield from sorted(asked)
    elif lowered and (lowered[0] in AUXILIARIES or lowered[0] == "whether"):
        yield "whether"


def _asks_for(words: list[Word]) -> str:
    """Tell whether an English question asks who does something, or to whom it is done.

    "Who complained" or "who did they complain about"; "" where neither is sure.
    """
    for word, after in pairwise(words):
        if word.lowered == "whom":
            return OBJECT
        if word.lowered == "who":
            if after.lowered in DO_SUPPORT:
                return OBJECT
            return "" if after.lowered in AUXILIARIES | BE else SUBJECT
    return ""


def _passives(words: list[Word]) -> Iterator[str]:
    """Yield the verbs of what is done to somebody: "were invited", not "invited"."""
    follows_be = False
    for word in words:
        if follows_be and (word.lowered.endswith("ed") or word.lowered in PARTICIPLES):
            yield canonical_stem(word.stem)
        follows_be = follows_be or word.lowered in BE


def _objects(words: list[Word]) -> Iterator[str]:
    """Yield who something is done to: "contact me"; "for me" only says who asks."""
    for before, word in pairwise(["", *(word.lowered for word in words)]):
        if word in OBJECTS and before not in SOFT_DIRECTIONS:
            yield word
        elif word in REFLEXIVES:
            yield "self"


def _asks_what_is(words: list[Word], language: str) -> bool:
    """Tell whether a question asks no more than its keywords say: "What is the refund period?"."""
    kinds = KINDS[language]
    lowered = [word.lowered for word in words]
    for word, after in pairwise([*lowered, ""]):
        if word in kinds:
            return kinds[word] == "what" or (kinds[word] == "who" and after in COPULAS)
    return not (lowered and lowered[0] in AUXILIARIES)


@lru_cache(maxsize=1)
def _phrases() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(pattern, re.IGNORECASE), text) for pattern, text in PHRASES)


@lru_cache(maxsize=1)
def _synonyms() -> Mapping[str, str]:
    stems: dict[str, str] = {}
    for first, *others in synonym_lines():
        for word in (first, *others):
            stems.setdefault(stem_of(word), stem_of(first))
    return stems


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
def _particle_verb_stems() -> frozenset[str]:
    return frozenset(map(stem_of, PARTICLE_VERBS))
