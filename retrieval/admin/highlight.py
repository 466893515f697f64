"""Marks the words of a question in a passage; nothing but our own marks becomes markup."""

import re
from collections.abc import Iterable

from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

from knowledge.lexical import fold_accents, question_terms

_WORD = re.compile(r"\w+")
_SHORTEST = 3
_ENDINGS = re.compile(r"(?:ies|ied|ing|ed|es|s|y|e)$")
# Words that nearly every English question has and that say nothing about its subject.
# fmt: off
_COMMON = frozenset(
    {
        "a", "about", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by",
        "can", "did", "do", "does", "for", "from", "had", "has", "have", "how", "in",
        "into", "is", "it", "its", "me", "my", "not", "of", "on", "or", "our", "so", "than",
        "that", "the", "their", "them", "then", "there", "these", "they", "this", "to",
        "us", "was", "we", "were", "what", "when", "where", "which", "who", "whom", "whose",
        "why", "will", "with", "would", "you", "your",
    }
)
# fmt: on


def mark_words(text: str, question: str) -> SafeString:
    """Return `text` as HTML, escaped, with the words of `question` in `<mark>`.

    A word matches in any case, with or without accents, and with another ending: "renewals" marks
    "renewal". Each piece is escaped before a mark is put around it.
    """
    wanted = frozenset(_stems(question_terms(question)))
    pieces: list[str] = []
    end = 0
    for match in _WORD.finditer(text):
        if _stem(fold_accents(match[0])) not in wanted:
            continue
        pieces += [conditional_escape(text[end : match.start()]), _marked(match[0])]
        end = match.end()
    pieces.append(conditional_escape(text[end:]))
    return mark_safe("".join(pieces))  # noqa: S308 # every piece is escaped above


def _marked(word: str) -> str:
    return f"<mark>{conditional_escape(word)}</mark>"


def _stems(words: Iterable[str]) -> Iterable[str]:
    return (_stem(word) for word in words if word not in _COMMON and len(word) > 1)


def _stem(word: str) -> str:
    stem = _ENDINGS.sub("", word)
    return stem if len(stem) >= _SHORTEST else word
