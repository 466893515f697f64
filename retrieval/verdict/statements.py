"""Finds in a text what states a value, sentence by sentence. Pure."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from retrieval.verdict.quantities import Quantity, read_quantities
from retrieval.verdict.words import content_words

# The point of a day, as in "3. März", ends no sentence.
_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!\s\d\.)(?<!\s\d\d\.)\s+|[\n|;]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A value in a sentence that has one of its `kind`; `shown` is as it was written.

    `words` are the content words of the sentence, `beside` its other values, `rest` what is left of
    it without any.
    """

    kind: str
    value: float | str
    shown: str
    words: frozenset[str]
    beside: tuple[Quantity, ...]
    rest: str


def find_statements(
    text: str, *, is_on_topic: Callable[[frozenset[str]], bool] = lambda _: True
) -> list[Statement]:
    """Return the values of each sentence, less those of a kind that the sentence has twice.

    Only sentences of which the content words are on the topic are read.
    """
    statements = []
    for sentence in _SENTENCE_END.split(unicodedata.normalize("NFKC", text)):
        words = content_words(sentence)
        if not is_on_topic(words):
            continue
        found, rest = read_quantities(sentence)
        kinds = [quantity.kind for quantity in found]
        statements += [
            Statement(
                kind=quantity.kind,
                value=quantity.value,
                shown=quantity.shown,
                words=words,
                beside=tuple(other for other in found if other is not quantity),
                rest=rest,
            )
            for quantity in found
            if kinds.count(quantity.kind) == 1
        ]
    return statements
