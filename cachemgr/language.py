"""Tells the language of a question by its everyday words."""

from functools import lru_cache

from cachemgr.vocabulary.languages import EVERYDAY_WORDS, LETTERS
from cachemgr.words import split_words
from knowledge.lexical import normalise_text

# English last: where it has no more than another, that one comes first.
_LANGUAGES = sorted(EVERYDAY_WORDS.items(), key=lambda each: each[0] == "en")


def detect_language(text: str) -> str:
    """Return "en", "de", "fr" or "es"; "" where the words do not tell them apart."""
    counts = _count_everyday_words(text)
    best, second = sorted(counts, key=counts.__getitem__, reverse=True)[:2]
    # One foreign word may belong to a name: Los Angeles, Die Zeit.
    is_clear = counts[best] > counts[second] and (best == "en" or counts[best] > 1)
    return best if is_clear else ""


def may_be_foreign(text: str) -> bool:
    """Tell whether a text of no clear language has as many words of another as of English."""
    counts = _count_everyday_words(text)
    return max(counts.values()) > 0 and max(counts, key=counts.__getitem__) != "en"


@lru_cache(maxsize=1_024)
def _count_everyday_words(text: str) -> dict[str, int]:
    lowered = normalise_text(text).lower()
    words = [part for word in split_words(lowered) for part in {word.text, *word.text.split("'")}]
    return {
        language: sum(word in everyday for word in words)
        + sum(letter in lowered for letter in LETTERS.get(language, ""))
        for language, everyday in _LANGUAGES
    }
