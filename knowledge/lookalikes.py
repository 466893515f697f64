"""Words that mix alphabets: what looks like one name and is found as another."""

import re
import unicodedata
from collections.abc import Iterator

LISTED_WORDS = 3

_WORD = re.compile(r"[^\W\d_]{2,}")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_CYRILLIC = re.compile("[\u0400-\u052f]")
_GREEK = re.compile("[\u0370-\u03ff]")
# Greek letters stand in formulas beside Latin ones; these are the ones that pass for them.
_GREEK_LOOKALIKES = frozenset("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοικν")  # their likeness is the point


def mixed_words(text: str) -> list[str]:
    """Return the words that mix Latin with look-alike Cyrillic or Greek letters, each once."""
    if text.isascii():
        return []
    words = dict.fromkeys(word for word in _WORD.findall(text) if not word.isascii())
    return [word for word in words if _strangers(word)]


def describe_mixed(words: list[str]) -> Iterator[str]:
    """Yield the warning about such words, naming the first few, if there are any."""
    if not words:
        return
    named = [f"{word!r} holds {_strangers(word)[0]}" for word in words[:LISTED_WORDS]]
    more = len(words) - len(named)
    yield f"Mixed alphabets: {'; '.join([*named, f'{more} more words'] if more else named)}"


def _strangers(word: str) -> list[str]:
    """Return the names of the letters that a Latin word holds of another alphabet."""
    if not _LATIN.search(word):
        return []
    cyrillic = _CYRILLIC.findall(word)
    greek = _GREEK.findall(word)
    if not cyrillic and not _GREEK_LOOKALIKES.issuperset(greek):
        return []
    return [unicodedata.name(letter).capitalize() for letter in (*cyrillic, *greek)]
