"""Splits a question into words, the way all readings of questions do."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from cachemgr.vocabulary.stems import NOT_STEMMED

_TOKEN = re.compile(r"[-+]?\d+(?:[.,:/]\d+)*%?|\w+(?:[-'./@&_:+]+\w+)*[+#]*%?|[$€£¥%&]|[?!.;:,\n]")
_APOSTROPHES = {0x2018: "'", 0x2019: "'"}
_COMMA = ","
_SENTENCE_END = frozenset("?!.;:\n")
_Y_OR_IE = re.compile(r"[^aeiou](y|ies?)$")
_ATION = re.compile(r"(?<=[a-z]{3}at)ions?$")
_SUFFIXES = ("ing", "ed", "es", "s")
_MIN_STEM = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One token: as typed, and its stem in lower case."""

    text: str
    stem: str
    is_opener: bool
    follows_comma: bool = False

    @property
    def lowered(self) -> str:
        return self.text.lower().removesuffix("'s")


def split_words(text: str) -> Iterator[Word]:
    """Yield the words of a normalised text; the first of a sentence is its opener."""
    is_opener = True
    follows_comma = False
    for token in _TOKEN.findall(text.translate(_APOSTROPHES)):
        if token in _SENTENCE_END:
            is_opener = True
        elif token == _COMMA:
            follows_comma = True
        else:
            yield Word(
                text=token,
                stem=stem_of(token),
                is_opener=is_opener,
                follows_comma=follows_comma,
            )
            is_opener = follows_comma = False


@lru_cache(maxsize=8_192)
def stem_of(word: str) -> str:
    """Return a word without its ending; only for comparing, too rough to show."""
    bare = word.lower().removesuffix("'s").removesuffix("s'")
    singular = bare.removesuffix("s")
    if not bare.isalpha() or bare in NOT_STEMMED:
        return bare
    if singular in NOT_STEMMED:
        return singular
    bare = _ATION.sub("e", bare)
    if bare.endswith("ly") and len(bare) > _MIN_STEM + 2:
        bare = bare.removesuffix("ly")
    ending = _Y_OR_IE.search(bare)
    if ending and len(bare) > _MIN_STEM + 1:
        return bare[: ending.start(1)] + "i"
    return bare if bare.endswith(("ss", "us", "is")) else _without_suffix(bare)


def _without_suffix(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _MIN_STEM:
            word = word.removesuffix(suffix)
            break
    if len(word) > _MIN_STEM and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    return word.removesuffix("e") if len(word) > _MIN_STEM else word
