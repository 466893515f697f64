"""Finds the places to cut a stretch of text that offers no better break."""

import re
from collections.abc import Iterator

from knowledge.ingestion.structure import cuts_cluster, last_cluster_boundary
from knowledge.ingestion.token_index import TokenIndex

_SPACE = re.compile(r"\s+")
# Best first: after a clause, after a word, after a sign that may part words, after any sign.
_CUTS = (
    re.compile(r"[,;:)\]]\s+|[、，；：]"),  # noqa: RUF001 - the signs of Chinese and Japanese
    _SPACE,
    re.compile(r"[,;|]+"),
    re.compile(r"[^\w\s]+"),
)
_EARLY_SHARE = 0.7
_LATE_SHARE = 0.15

Span = tuple[int, int]


def trimmed(text: str, start: int, end: int) -> Span:
    """Return the span without white space at its ends."""
    while end > start and text[end - 1].isspace():
        end -= 1
    while start < end and text[start].isspace() and not cuts_cluster(text, start + 1):
        start += 1
    return start, end


def cut_evenly(
    text: str, span: Span, *, tokens: TokenIndex, max_tokens: int, max_characters: int
) -> Iterator[Span]:
    """Cut `span` into stretches of like size that keep both limits, as far as tokens add up."""
    start, end = span
    while start < end:
        count = tokens.count(start, end)
        length = end - start
        by_tokens, by_length = -(-count // max_tokens), -(-length // max_characters)
        parts = max(by_tokens, by_length)
        if parts <= 1:
            yield start, end
            return
        limit = tokens.end_of(start, max_tokens, limit=min(start + max_characters, end))
        even = min(start + length // parts, limit)
        if by_tokens >= by_length:
            even = tokens.end_of(start, -(-count // parts), limit=limit)
        cut = _best_place(text, start=start, even=even, limit=limit)
        yield start, cut
        start = cut


def overlap_start(text: str, start: int, *, earliest: int) -> int:
    """Return the first start of a word after `earliest`, or `start` where there is none."""
    for match in _SPACE.finditer(text, earliest, start):
        if match.end() < start and not cuts_cluster(text, match.end()):
            return match.end()
    return start


def _best_place(text: str, *, start: int, even: int, limit: int) -> int:
    """Return the best place to cut a little before or after `even`, never past `limit`."""
    latest = min(limit, even + int((even - start) * _LATE_SHARE))
    earliest = start + int((even - start) * _EARLY_SHARE)
    for pattern in _CUTS:
        places = [match.end() for match in pattern.finditer(text, earliest, latest)]
        for place in reversed(places):
            if not cuts_cluster(text, place):
                return place
    for furthest in (even, limit):
        place = last_cluster_boundary(text, start, furthest)
        if place > start:
            return place
    return limit
