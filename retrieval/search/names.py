"""Takes the names of entities out of the terms of a question. Pure."""

from collections.abc import Iterable
from dataclasses import replace

from retrieval.search.terms import TermSet

_AROUND = ".,;:!?()[]{}\"'“”„‘’«»"  # noqa: RUF001 # as typed


def without_names(terms: TermSet, question: str, names: Iterable[str]) -> TermSet:
    """Return the terms of the words of `question` that are part of none of the names in it."""
    places = name_places(question, names)
    return replace(terms, terms=tuple(term for term in terms.terms if term.word not in places))


def name_places(question: str, names: Iterable[str]) -> frozenset[int]:
    """Return the places, from 1, of words that are part of a name; a possessive is."""
    words = [_bare(word) for word in question.split()]
    places: set[int] = set()
    for name in names:
        parts = [_bare(part) for part in name.split()]
        for start in range(len(words) - len(parts) + 1):
            if parts and words[start : start + len(parts)] == parts:
                places.update(range(start + 1, start + len(parts) + 1))
    return frozenset(places)


def _bare(word: str) -> str:
    return word.casefold().replace("’", "'").strip(_AROUND).removesuffix("'s").strip(_AROUND)  # noqa: RUF001 # as typed
