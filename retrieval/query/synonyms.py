"""Words a question may as well have used: what curators taught as meaning the same. Pure."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from knowledge.lexical import fold_accents, normalise_text
from retrieval.query.vocabulary import SynonymRule
from retrieval.understanding import Expansion

# A question is widened, not replaced: a rule of fifty words adds the first of them.
MOST_PER_TERM = 6
MOST_EXPANSIONS = 24
MOST_REMEMBERED = 20_000
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_POSSESSIVE = re.compile(r"['\u2019]s?$")


def find_synonyms(topic: str, rules: Iterable[SynonymRule]) -> list[Expansion]:
    """Return the other words of each rule whose term the topic holds, in the order of the topic.

    Terms are whole words or phrases, in any case and with or without accents. What is found that
    way is not looked up again, so rules may form a loop; nor is what the topic says already.
    """
    asked = fold_words(topic)
    found: dict[tuple[tuple[int, ...], tuple[str, ...]], Expansion] = {}
    for rule in rules:
        terms = {term: _fold_term(term) for term in rule.terms}
        looked_for = rule.terms[:1] if rule.is_one_way else rule.terms
        held = [places for term in looked_for for places in find_places(terms[term], asked)]
        if not held:
            continue
        others = [term for term in rule.terms if not is_said(terms[term], asked)]
        for places in held:
            for other in others[:MOST_PER_TERM]:
                expansion = Expansion(places=places, text=other)
                found.setdefault((places, terms[other]), expansion)
    ordered = sorted(found.values(), key=lambda expansion: expansion.places)
    return ordered[:MOST_EXPANSIONS]


def fold_words(text: str) -> list[str]:
    """Return the words of a text as they are compared: in lower case, without accents or edges."""
    return [_fold(word) for word in normalise_text(text).split()]


@lru_cache(maxsize=MOST_REMEMBERED)
def _fold_term(term: str) -> tuple[str, ...]:
    """Fold a term of a rule: every question is compared with the same ones."""
    return tuple(fold_words(term))


def find_places(term: Sequence[str], words: Sequence[str]) -> list[tuple[int, ...]]:
    """Return where the words of a term stand together, as places from 1."""
    size = len(term)
    if not any(term) or term[0] not in words:
        return []
    return [
        tuple(range(start + 1, start + 1 + size))
        for start in range(len(words) - size + 1)
        if list(words[start : start + size]) == list(term)
    ]


def is_said(term: Sequence[str], words: Sequence[str]) -> bool:
    """Return whether the words hold the term, or it says nothing."""
    return not any(term) or bool(find_places(term, words))


def words_at(topic: str, places: Iterable[int]) -> str:
    """Return the words of the topic at these places, as they are written, without edges."""
    words = topic.split()
    return _POSSESSIVE.sub("", _EDGES.sub("", " ".join(words[place - 1] for place in places)))


def _fold(word: str) -> str:
    bare = _EDGES.sub("", word)
    # `C++` and `C#` are told apart by what looks like an edge.
    return fold_accents(_POSSESSIVE.sub("", bare if len(bare) > 1 else word))
