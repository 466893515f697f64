"""Words of a sentence as contradictions are looked for. Pure."""

import re

LEAST_WORD = 4
_WORD = re.compile(r"[^\W\d_][\w'-]*")
_ENDINGS = ("ing", "ed", "es", "s")
# fmt: off
FUNCTION_WORDS = frozenset(
    (
        "a", "about", "after", "all", "also", "although", "am", "an", "and", "any", "are", "as",
        "at", "be", "because", "been", "being", "both", "but", "by", "can", "could", "current",
        "currently", "did", "do", "does", "done", "each", "either", "else", "every", "few", "for",
        "from", "had", "has", "have", "having", "he", "her", "here", "his", "how", "i", "if", "in",
        "into", "is", "it", "its", "just", "may", "might", "more", "most", "much", "many", "must",
        "my", "no", "nor", "not", "now", "of", "off", "on", "once", "one", "only", "or", "other",
        "our", "out", "over", "own", "per", "same", "shall", "she", "should", "so", "some", "such",
        "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those",
        "through", "to", "today", "too", "under", "until", "up", "us", "very", "was", "we", "were",
        "what", "when", "where", "which", "while", "who", "whom", "whose", "why", "will", "with",
        "within", "would", "you", "your",
    )
)
# fmt: on


def content_words(text: str) -> frozenset[str]:
    """Return the longer words of a text that mean something, folded and without their endings."""
    words = (word.casefold().removesuffix("'s") for word in _WORD.findall(text))
    return frozenset(
        stem(word) for word in words if len(word) >= LEAST_WORD and word not in FUNCTION_WORDS
    )


def stem(word: str) -> str:
    """Return a word without one English ending, as far as four letters stay."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= LEAST_WORD:
            return word.removesuffix(ending).removesuffix("e")
    return word.removesuffix("e") if len(word) > LEAST_WORD else word
