"""Finds passages that say the same as a better one from another document."""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from retrieval.types import Duplicate, Evidence, Hit

Words = tuple[str, ...]

# Share of the longer passage that both must have in common, word for word, in one piece.
SHARED = 0.95
# Passages are compared when one of this many longest words stands between the same neighbours in
# both: else each would be compared with every other.
LOOKED_UP = 4
# Shorter passages, like "Yes, thank you.", may stand in documents that have nothing in common.
MIN_CHARACTERS = 40
# Punctuation that people and programs change as they pass a text on; numbers are compared with it.
_PUNCTUATION = str.maketrans("", "", ".,;:!?\"'“”„‘’«»()[]{}*_>#|`…·•")  # noqa: RUF001 # as typed
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"[-−+]?\d(?:[\d.,:/]*\d)?%?")  # noqa: RUF001 # the minus sign of typographers


def collapse(hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits, best first, with duplicates on the best of them instead of on their own."""
    duplicates = find_duplicates(hit.evidence for hit in hits)
    if not duplicates:
        return list(hits)
    gathered: dict[int, list[Duplicate]] = defaultdict(list)
    for hit in hits:
        passage = hit.evidence
        if passage.chunk_id in duplicates:
            gathered[duplicates[passage.chunk_id]].append(
                Duplicate(
                    chunk_id=passage.chunk_id,
                    document_id=passage.document_id,
                    title=passage.title or passage.external_id,
                    source_name=passage.source_name,
                )
            )
    kept = [hit for hit in hits if hit.evidence.chunk_id not in duplicates]
    return [
        replace(hit, rank=place, duplicates=tuple(gathered[hit.evidence.chunk_id]))
        for place, hit in enumerate(kept, start=1)
    ]


def find_duplicates(ranked: Iterable[Evidence]) -> dict[int, int]:
    """Return, by chunk id, the better passage that each duplicate stands in for, best first.

    Both belong to different documents, about the same entities, for the same readers, valid for the
    same time, and hold the same numbers, those of their titles included: the price lists of two
    years are no duplicates. Their words are the same but for some at the beginning of one or at the
    end of the other, as a shifted boundary or a line of greeting leaves them: a word exchanged or
    added in the middle may turn the meaning round. Passages of a few words are left alone.
    """
    kept: dict[Words, list[_Said]] = defaultdict(list)
    duplicates: dict[int, int] = {}
    for evidence in _comparable(ranked):
        said = _Said(evidence)
        places = _places(evidence.text)
        rivals = (other for place in places for other in kept[place])
        better = next((other for other in rivals if said.is_duplicate_of(other)), None)
        if better is not None:
            duplicates[evidence.chunk_id] = better.evidence.chunk_id
            continue
        for place in places:
            kept[place].append(said)
    return duplicates


def _comparable(ranked: Iterable[Evidence]) -> Iterator[Evidence]:
    """Yield what could be a duplicate, or have one, before any text is taken apart."""
    told = [
        (evidence, _filing(evidence)) for evidence in ranked if len(evidence.text) >= MIN_CHARACTERS
    ]
    documents: dict[Sequence[object], set[int]] = defaultdict(set)
    for evidence, filing in told:
        documents[filing].add(evidence.document_id)
    return (evidence for evidence, filing in told if len(documents[filing]) > 1)


class _Said:
    """What a passage says, taken apart when first compared."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence

    @cached_property
    def words(self) -> Words:
        return tuple(_words(self.evidence.text))

    @cached_property
    def circumstances(self) -> Sequence[object]:
        return _circumstances(self.evidence)

    def is_duplicate_of(self, other: "_Said") -> bool:
        return (
            self.evidence.document_id != other.evidence.document_id
            and min(len(self.words), len(other.words)) >= _least_shared(self.words, other.words)
            and self.circumstances == other.circumstances
            and _say_the_same(self.words, other.words)
        )


def _places(text: str) -> list[Words]:
    """Return a few long words with their neighbours, to look up by what may be a duplicate."""
    words = _WORD.findall(text.casefold())
    longest = sorted(dict.fromkeys(words), key=len, reverse=True)[:LOOKED_UP]
    indices = map(words.index, longest)
    return [tuple(words[max(index - 1, 0) : index + 2]) for index in indices]


def _least_shared(first: Words, second: Words) -> int:
    return math.ceil(SHARED * max(len(first), len(second), 1))


def _circumstances(evidence: Evidence) -> Sequence[object]:
    """Return what duplicates have to have in common beside their words."""
    told = " ".join([evidence.title, *evidence.heading_path, evidence.prefix, evidence.text])
    return (*_filing(evidence), sorted(_NUMBER.findall(told)))


def _filing(evidence: Evidence) -> tuple[object, ...]:
    """Return for whom, about what and for what time a passage is filed."""
    return (
        frozenset(evidence.access_tags),
        frozenset(evidence.entity_ids),
        evidence.valid_from,
        evidence.valid_until,
    )


def _words(text: str) -> list[str]:
    return text.casefold().translate(_PUNCTUATION).split()


def _say_the_same(first: Words, second: Words) -> bool:
    shorter, longer = sorted((first, second), key=len)
    least = _least_shared(first, second)
    return _contains(longer, shorter) or any(
        shorter[-shared:] == longer[:shared] or shorter[:shared] == longer[-shared:]
        for shared in range(len(shorter) - 1, least - 1, -1)
    )


def _contains(longer: Words, shorter: Words) -> bool:
    starts = range(len(longer) - len(shorter) + 1)
    return any(longer[start : start + len(shorter)] == shorter for start in starts)
