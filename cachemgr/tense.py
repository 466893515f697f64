"""Reads when something is asked about: what was, is, will be, would be or can be."""

from itertools import pairwise

from cachemgr.vocabulary.grammar import (
    ABILITIES,
    AUXILIARIES,
    BE,
    CONDITIONAL,
    DO_SUPPORT,
    FUTURE,
    HAVE,
    IRREGULAR_PASTS,
    KINDS,
    MODALS,
    NO_PASTS,
    NO_PROGRESSIVES,
    PARTICIPLES,
    PAST,
    PAST_ENDINGS,
    PERFECT,
    PLUPERFECT,
    PRESENT,
    PROGRESSIVE,
    TENSES,
    UNREAL,
)
from cachemgr.words import Word

_NOT_PERFECT = {PERFECT: PRESENT, PLUPERFECT: PAST}
_COULD = frozenset({"could", "couldn't"})
_AHEAD = frozenset({("going", "to"), ("about", "to"), ("yet", "to")})


def read_tense(words: list[Word], language: str) -> str:
    """Return the tense of the question, "" where nothing tells it."""
    lowered = _uncapitalised(words)
    known = TENSES[language]
    told = {known[word] for word in lowered if word in known}
    if language == "en" and _is_unreal(lowered):
        return UNREAL
    if FUTURE in told or _is_ahead(lowered):
        return FUTURE
    if language == "en" and not _is_perfect(lowered):
        # "does it have", "which has the most": having is what is asked.
        told = {_NOT_PERFECT.get(tense, tense) for tense in told}
    if PRESENT in told and _is_going_on(lowered):
        return PROGRESSIVE
    if ("used", "to") in set(pairwise(lowered)) and BE.isdisjoint(lowered):
        return PAST
    for tense in (CONDITIONAL, PLUPERFECT, PAST, PERFECT, PRESENT):
        if tense in told:
            return tense
    return _tense_of_verb(lowered, language)


def read_modality(words: list[Word], kind: tuple[str, ...]) -> str:
    """Return "able" where a question asks what can be, not what is; "how can I" is "how do I"."""
    if not {"how", "where", "why"}.isdisjoint(kind):
        return ""
    lowered = set(_uncapitalised(words))
    if not lowered.isdisjoint(_COULD) and not {"who", "when"}.isdisjoint(kind):
        return "could"
    return "able" if ABILITIES & lowered else ""


def _is_unreal(lowered: list[str]) -> bool:
    """Tell of "should have sent", "would have been"."""
    for position, word in enumerate(lowered):
        if word in MODALS and not HAVE.isdisjoint(lowered[position + 1 : position + 4]):
            after = lowered[position + 1 : position + 5]
            have = next(place for place, each in enumerate(after) if each in HAVE)
            verb = after[have + 1 : have + 2]
            return bool(verb) and (
                verb[0] == "been" or verb[0].endswith("ed") or verb[0] in IRREGULAR_PASTS
            )
    return False


def _is_perfect(lowered: list[str]) -> bool:
    """Tell of "have sent", "has it been"."""
    place = next((place for place, word in enumerate(lowered) if word in HAVE), len(lowered))
    return DO_SUPPORT.isdisjoint(lowered) and any(
        word == "been" or word.endswith("ed") or word in IRREGULAR_PASTS or word in PARTICIPLES
        for word in lowered[place + 1 :]
    )


def _is_ahead(lowered: list[str]) -> bool:
    """Tell of what is going to be, about to be, to be, yet to be."""
    pairs = list(pairwise(lowered))
    is_to_be = any(
        first in BE and second == "to" and lowered[place + 2 : place + 3] == ["be"]
        for place, (first, second) in enumerate(pairs)
    )
    return is_to_be or not _AHEAD.isdisjoint(pairs)


def _is_going_on(lowered: list[str]) -> bool:
    """Tell of what is being done, and of who is doing it."""
    if "being" in lowered:
        return True
    return any(
        before in BE and word.endswith("ing") and word not in NO_PROGRESSIVES
        for before, word in pairwise(lowered)
    )


def _tense_of_verb(lowered: list[str], language: str) -> str:
    """Return the tense of a question without auxiliary: "who managed", "who manages"."""
    if not AUXILIARIES.isdisjoint(lowered):
        return ""
    if not {"get", "gets"}.isdisjoint(lowered):
        # "gets sent": what follows is no past.
        return PRESENT if lowered[0] in KINDS[language] else ""
    endings = PAST_ENDINGS[language]
    if any(word.endswith(endings) and word not in NO_PASTS for word in lowered):
        return PAST
    if language == "en" and not IRREGULAR_PASTS.isdisjoint(lowered):
        return PAST
    return PRESENT if lowered and lowered[0] in KINDS[language] else ""


def _uncapitalised(words: list[Word]) -> list[str]:
    """Return the words that are no names: may, not May."""
    return [word.lowered for word in words if word.is_opener or not word.text[0].isupper()]
