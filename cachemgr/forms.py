"""Reads the endings of words that compare as one: selling and sold, late and lately."""

from collections.abc import Callable, Iterator, Sequence

from cachemgr.vocabulary.connectives import ADVERBS_APART, PLURALS_APART, RELATIONS
from cachemgr.vocabulary.grammar import AUXILIARIES, BE, NO_PROGRESSIVES, PARTICIPLES
from cachemgr.words import Word, stem_of

BASE, DONE, DOING, ACT, ADVERB, PLURAL = "base", "ed", "ing", "act", "ly", "s"
Form = tuple[str, str]


def read_forms(
    words: Sequence[Word], content_of: Callable[[Word], str], *, is_foreign: bool
) -> Iterator[Form]:
    """Yield each word that says something with its form; outside English that is all of it."""
    is_helped = False
    for before, word, after in zip([None, *words], words, [*words[1:], None], strict=False):
        is_helped = is_helped or word.lowered in _HELPERS
        stem = content_of(word)
        if not stem or not word.text[0].isalpha():
            continue
        form = word.lowered if is_foreign else _form(word, _is_attribute(before, after, content_of))
        yield stem, form
        if is_helped and form == BASE:
            # "did they manage" is "they managed".
            yield stem, DONE


def differ(one: frozenset[Form], other: frozenset[Form], shared: frozenset[str]) -> bool:
    """Tell whether a word of both questions stands in forms of different meaning."""
    forms, others = _by_stem(one), _by_stem(other)
    return any(_are_apart(forms.get(stem, set()), others.get(stem, set())) for stem in shared)


def _is_attribute(
    before: Word | None, after: Word | None, content_of: Callable[[Word], str]
) -> bool:
    """Tell of "opening" in "opening tickets", not in "for opening tickets"."""
    if after is None or not content_of(after):
        return False
    return before is not None and before.lowered not in RELATIONS


def _form(word: Word, is_attribute: bool) -> str:  # noqa: FBT001 - private
    lowered = word.lowered
    if lowered in ADVERBS_APART:
        return ADVERB
    if lowered.endswith("ing") and lowered not in NO_PROGRESSIVES:
        return DOING if is_attribute else ACT
    if lowered.endswith("ed") or lowered in PARTICIPLES:
        return DONE
    if lowered.endswith("s") and word.stem in _PLURAL_STEMS:
        return PLURAL
    return BASE


def _are_apart(one: set[str], other: set[str]) -> bool:
    both = one | other
    return bool(one) and bool(other) and one.isdisjoint(other) and both not in _SAME


def _by_stem(forms: frozenset[Form]) -> dict[str, set[str]]:
    by_stem: dict[str, set[str]] = {}
    for stem, form in forms:
        by_stem.setdefault(stem, set()).add(form)
    return by_stem


# "to export", "exporting"; "open tickets" and "opening tickets" only where nothing follows.
_SAME = ({BASE, ACT}, {DOING, ACT}, {BASE, DONE, ACT})
_PLURAL_STEMS = frozenset(map(stem_of, PLURALS_APART))
_HELPERS = (AUXILIARIES - BE) | frozenset({"to", "did", "would", "be", "been"})
