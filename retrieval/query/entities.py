"""Finds the entities that a question names, among those of that name. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from knowledge.function_words import FUNCTION_WORDS

# Longer names exist; people write the beginning of them.
MOST_WORDS = 6
MOST_QUESTION_WORDS = 120
_WORD = re.compile(r"[^\s,;:!?()\[\]{}\"\u201c\u201d]+")
_POSSESSIVE = re.compile(r"['\u2019]s?$")
# Words that begin a sentence or hold one together; alone they name nothing.
COMMON_WORDS = FUNCTION_WORDS | {
    *(
        "according",
        "could",
        "find",
        "give",
        "last",
        "latest",
        "list",
        "may",
        "new",
        "please",
        "show",
    ),
    *("since", "tell", "today", "us", "whose", "would", "i"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedEntities:
    """The entities that are meant, by their names, and the names that several go by."""

    found: Mapping[str, UUID]
    ambiguous: tuple[str, ...] = ()


def possible_names(question: str) -> list[str]:
    """Return every run of up to six words that may be a name, longest first."""
    words = words_of(question)
    runs = [
        " ".join(words[start : start + length])
        for length in range(min(MOST_WORDS, len(words)), 0, -1)
        for start in range(len(words) - length + 1)
    ]
    spoken = [name for run in runs for name in (run, without_possessive(run))]
    return [name for name in dict.fromkeys(spoken) if _may_be_name(name)]


def words_of(question: str) -> list[str]:
    """Return the words of a question without the punctuation around them."""
    words = (match[0].strip(".'\u2018\u2019") for match in _WORD.finditer(question))
    return [word for word in words if word][:MOST_QUESTION_WORDS]


def without_possessive(word: str) -> str:
    """Return `Arthur` for `Arthur's`."""
    return _POSSESSIVE.sub("", word)


def choose_entities(question: str, matches: Mapping[str, tuple[UUID, ...]]) -> NamedEntities:
    """Return what the names in the question mean, out of the entities of each name.

    A name within a longer one that is known too is part of that. A name of several entities is
    none: it is told, not guessed.
    """
    found: dict[str, UUID] = {}
    ambiguous: list[str] = []
    taken: list[str] = []
    for name in possible_names(question):
        ids = matches.get(name, ())
        if not ids or any(_is_within(name, longer) for longer in taken):
            continue
        taken.append(name)
        if len(ids) == 1:
            found[name] = ids[0]
        else:
            ambiguous.append(name)
    return NamedEntities(found=found, ambiguous=tuple(ambiguous))


def _may_be_name(name: str) -> bool:
    """Whether it is written as a name is: with a capital or a digit, and not of common words."""
    words = name.split()
    if all(word.casefold() in COMMON_WORDS for word in words):
        # `The Who` is a band; a sentence in which every word has a capital names entities anyway.
        return len(words) > 1 and all(word[0].isupper() for word in words)
    if not any(character.isalpha() for character in name):
        return False
    if len(words) > 1:
        return words[0].casefold() not in COMMON_WORDS or words[0][0].isupper()
    return len(name) > 1 and (name != name.lower() or any(map(str.isdigit, name)))


def _is_within(name: str, longer: str) -> bool:
    return f" {name} " in f" {longer} "
