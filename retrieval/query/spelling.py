"""Names and words of titles that are spelt nearly right: which are meant, if any. Pure.

A slip of the pen is told from another name by two things: no document holds the word, and
one entity is clearly the closest.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from knowledge.lexical import fold_accents
from retrieval.query.entities import COMMON_WORDS, without_possessive, words_of
from retrieval.query.vocabulary import SimilarName

LEAST_LENGTH = 5
LONGEST_PARTICLE = 3
MOST_WORDS = 4
MOST_WRONG = 3
# One letter in five wrong, added, missing or exchanged with its neighbour.
LEAST_SIMILARITY = 0.8
LEAST_LEAD = 0.1
# In a word of a title, on top of that; another letter in place of one makes another word more often
# than not: see docs/explanation/ranking.md.
MOST_SLIPS = 2
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spellings:
    """The names that were read as others, and those nearly like the names of several entities."""

    meant: Mapping[str, SimilarName]
    ambiguous: tuple[str, ...] = ()


def words_to_check(question: str) -> list[str]:
    """Return the words of a question that may be part of a name spelt wrongly."""
    return [word for word in _bare_words(question) if _is_name_like(word, question)]


def words_to_compare(question: str) -> list[str]:
    """Return the words of a question that may be words of a title, typed wrongly."""
    return [
        word
        for word in dict.fromkeys(_bare_words(question))
        if len(word) >= LEAST_LENGTH and word.isalpha() and word.casefold() not in COMMON_WORDS
    ]


def choose_title_words(titles: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Return the word of the titles that each word is a slip of, where one is clearly the closest.

    A slip begins with the right letter, and has letters missing, added or in the wrong order. What
    stands in a title as it is asked is no slip.
    """
    meant = {}
    for asked, found in titles.items():
        wanted = fold_accents(asked)
        words = {
            fold_accents(word): word
            for title in found
            for word in _bare_words(title)
            if word.isalpha() and word[0].casefold() == asked[0].casefold()
        }
        slips = {known: _edits(wanted, known, changed=MOST_SLIPS + 1) for known in words}
        (first, second) = (*sorted(slips.values()), *(len(wanted), len(wanted)))[:2]
        if 0 < first <= min(MOST_SLIPS, len(wanted) * (1 - LEAST_SIMILARITY)) and first < second:
            meant[asked] = words[min(slips, key=slips.__getitem__)]
    return meant


def misspelt_names(
    question: str, *, unused: Collection[str], known: Iterable[str] = ()
) -> dict[str, str]:
    """Return the runs of name-like words with the longest one that nobody uses, longest run first.

    A run without such a word is none, nor is what is part of a `known` name. Only the first few
    words that nobody uses are looked at.
    """
    words = _bare_words(question)
    runs = [
        words[start : start + length]
        for length in range(min(MOST_WORDS, len(words)), 0, -1)
        for start in range(len(words) - length + 1)
    ]
    taken = {word for name in known for word in name.split()}
    used_nowhere = [word for word in words if word in unused and word not in taken]
    wrong = set(list(dict.fromkeys(used_nowhere))[:MOST_WRONG])
    return {
        " ".join(run): max(wrong.intersection(run), key=len)
        for run in runs
        if wrong.intersection(run) and taken.isdisjoint(run) and _may_be_name(run, question)
    }


def choose_spellings(
    names: Iterable[str], similar: Mapping[str, Iterable[SimilarName]]
) -> Spellings:
    """Return which of the similar names each name means, the longest name first.

    The closest one has to be close, and closer than that of any other entity; else it is not
    guessed. Digits are never wrong: codes differ in one of them.
    """
    meant: dict[str, SimilarName] = {}
    ambiguous: list[str] = []
    taken: list[str] = []
    for name in names:
        if any(f" {name} " in f" {longer} " for longer in taken):
            continue
        ordered = _closest_of_each(name, similar.get(name, ()))
        if not ordered or ordered[0][0] < LEAST_SIMILARITY:
            continue
        taken.append(name)
        if len(ordered) > 1 and ordered[0][0] - ordered[1][0] < LEAST_LEAD:
            ambiguous.append(name)
        else:
            meant[name] = ordered[0][1]
    return Spellings(meant=meant, ambiguous=tuple(ambiguous))


def spelling_similarity(one: str, other: str) -> float:
    """Return 1 less the share of letters that differ, 0..1, whatever the case and accents."""
    first, second = fold_accents(one), fold_accents(other)
    return 1 - _edits(first, second) / max(len(first), len(second), 1)


def _bare_words(question: str) -> list[str]:
    return [bare for word in words_of(question) if (bare := without_possessive(word))]


def _closest_of_each(name: str, similar: Iterable[SimilarName]) -> list[tuple[float, SimilarName]]:
    """Return the closest name of each entity with its similarity, the most similar first."""
    best: dict[UUID, tuple[float, SimilarName]] = {}
    for each in similar:
        if _DIGITS.findall(each.name) != _DIGITS.findall(name):
            continue
        similarity = spelling_similarity(name, each.name)
        if each.entity_id not in best or similarity > best[each.entity_id][0]:
            best[each.entity_id] = (similarity, each)
    return sorted(best.values(), key=lambda pair: (-pair[0], pair[1].name, pair[1].entity_id))


def _may_be_name(run: Sequence[str], question: str) -> bool:
    """Whether a run of words is written as a name is, with little words only within it."""
    inner = (word for word in run[1:-1] if len(word) > LONGEST_PARTICLE)
    return all(_is_name_like(word, question) for word in (run[0], run[-1], *inner))


def _is_name_like(word: str, question: str) -> bool:
    """Whether a word is written as names are; who writes no capitals at all writes none there."""
    if len(word) < LEAST_LENGTH and word.islower():
        return False
    is_written_small = question == question.lower()
    return (word[0].isupper() or is_written_small) and word.casefold() not in COMMON_WORDS


def _edits(one: str, other: str, *, changed: int = 1) -> int:
    """Return the least number of letters to add, drop, change or exchange with their neighbour.

    A letter that is changed counts as `changed`.
    """
    before: list[int] = []
    above = list(range(len(other) + 1))
    for row, letter in enumerate(one, start=1):
        current = [row]
        for column, opposite in enumerate(other, start=1):
            cost = min(
                above[column] + 1,
                current[column - 1] + 1,
                above[column - 1] + (changed if letter != opposite else 0),
            )
            is_exchange = (
                row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == opposite
            )
            current.append(min(cost, before[column - 2] + 1) if is_exchange else cost)
        before, above = above, current
    return above[-1]
