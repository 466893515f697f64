"""Where the tokens of a text begin, so that any stretch is counted without reading it again."""

from bisect import bisect_left

import numpy as np

from knowledge.embedding.base import Tokenizer

# Tokenizers slow down on long texts.
SLICE_LENGTH = 8_000


class TokenIndex:
    """Counts the tokens of stretches of one text; exact where a stretch cuts no word."""

    def __init__(self, text: str, tokenizer: Tokenizer) -> None:
        self._starts: list[int] = []
        start = 0
        while start < len(text):
            end = _slice_end(text, start)
            offsets = tokenizer.offsets(text[start:end])
            self._starts.extend(start + first for first, _ in offsets)
            start = end
        self._array = np.asarray(self._starts, dtype=np.int64)

    def before(self, position: int) -> int:
        """Return the number of tokens that begin before `position`."""
        return bisect_left(self._starts, position)

    def before_each(self, positions: list[int]) -> list[int]:
        """Return `before` of many positions."""
        counts: list[int] = np.searchsorted(self._array, positions, side="left").tolist()
        return counts

    def count(self, start: int, end: int) -> int:
        """Return the number of tokens that begin in `start`..`end`."""
        return self.before(end) - self.before(start)

    def end_of(self, start: int, token_count: int, *, limit: int) -> int:
        """Return how far the first `token_count` tokens from `start` reach, at most to `limit`.

        It is past `start` even where one character is more tokens than that.
        """
        index = self.before(start) + token_count
        if index >= len(self._starts):
            return limit
        return min(max(self._starts[index], start + 1), limit)

    def start_before(self, position: int, token_count: int) -> int:
        """Return where the last `token_count` tokens before `position` begin."""
        index = self.before(position) - token_count
        return self._starts[index] if index > 0 else 0


def _slice_end(text: str, start: int) -> int:
    """Return where a slice may end without cutting a word, if there is such a place."""
    end = start + SLICE_LENGTH
    if end >= len(text):
        return len(text)
    for separator in ("\n", " "):
        found = text.rfind(separator, start, end)
        if found > start:
            return found
    return end
