"""Tells the language of a question by its everyday words."""

from functools import lru_cache

from cachemgr.vocabulary.languages import EVERYDAY_WORDS, LETTERS
from cachemgr.words import split_words
from knowledge.lexical import normalise_text


@lru_cache(maxsize=1_024)
def detect_language(text: str) -> str:
    """Return "en", "de", "fr" or "es"; "" where the words do not tell them apart."""
    lowered = normalise_text(text).lower()
    words = [part for word in split_words(lowered) for part in {word.text, *word.text.split("'")}]
    counts = {
        language: sum(word in everyday for word in words)
        + sum(letter in lowered for letter in LETTERS.get(language, ""))
        for language, everyday in EVERYDAY_WORDS.items()
    }
    best, second = sorted(counts, key=counts.__getitem__, reverse=True)[:2]
    # One foreign word may belong to a name: Los Angeles, Die Zeit.
    is_clear = counts[best] > counts[second] and (best == "en" or counts[best] > 1)
    return best if is_clear else ""
