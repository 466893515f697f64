"""Whether two sentences speak of the same thing, or one of another plan, place or time. Pure."""

import re
from itertools import pairwise

from retrieval.verdict.quantities import MONTHS
from retrieval.verdict.statements import Statement
from retrieval.verdict.words import FUNCTION_WORDS, stem

# What a statement is limited or turned by; sentences that differ in these are not compared.
_LIMITS = re.compile(
    r"\b(?:minimum|maximum|average|median|mean|total|altogether|in all|overall|gross|net|part of"
    r"|planned|budget(?:ed)?|forecast|expected|targets?|estimated?|goals?|actual(?:ly)?|proposed"
    r"|former(?:ly)?|previous(?:ly)?|old|earlier|originally|until|no longer|used to|was to|before"
    r"|after|another|other|further|additional|extra|more|not|never|only|without|excluding"
    r"|including|except|unless|if|first|second|third|fourth|half|quarter|q[1-4]|h[12]|fy ?\d+"
    r"|last|next|this|spring|summer|autumn|winter|would|might)\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_TOKEN = re.compile(r"[\w'-]+|#")
_OF_PARTY = frozenset({"of", "from", "near"})
_WITHIN = frozenset(
    {
        "in",
        "at",
        "for",
        "on",
        "by",
        "under",
        "during",
        "über",
        "bei",
        "für",
        "im",
        "pour",
        "sous",
        "chez",
    }
)
_ARTICLES = frozenset(
    {
        "the",
        "a",
        "an",
        "our",
        "your",
        "its",
        "each",
        "every",
        "all",
        "der",
        "die",
        "das",
        "le",
        "la",
        "les",
    }
)


def have_same_scope(first: Statement, second: Statement, *, question: str) -> bool:
    """Tell whether nothing in the sentences says that they mean different things.

    Differing are: years and months; words that limit or turn a statement, such as "minimum",
    "planned", "without"; other values of the same kind beside them; what a shared word is
    preceded by, such as "standard support" and "premium support"; what follows "for", "on", "at"
    and the like; names that the question does not hold, in both or after such a word in one.
    """
    return not (
        _periods(first) != _periods(second)
        or _limits(first) != _limits(second)
        or _have_other_values(first, second)
        or _are_qualified(first, second)
        or _are_within(first, second, question=question)
        or _are_named(first, second, question=question)
    )


def _periods(statement: Statement) -> set[str]:
    told = {token.casefold() for token in _TOKEN.findall(statement.rest) if token[0].isupper()}
    years = {found.value for found in statement.beside if found.kind == "calendar year"}
    dates = {found.value for found in statement.beside if found.kind == "date"}
    months = {token for token in told if token in MONTHS}
    return {*map(str, years | dates), *_YEAR.findall(statement.rest), *months}


def _limits(statement: Statement) -> set[str]:
    return {match.casefold() for match in _LIMITS.findall(statement.rest)}


def _have_other_values(first: Statement, second: Statement) -> bool:
    ours = {found.kind: found.value for found in first.beside}
    return any(found.kind in ours and ours[found.kind] != found.value for found in second.beside)


def _are_qualified(first: Statement, second: Statement) -> bool:
    """Whether a word of both is preceded by different words that mean something."""
    ours, theirs = _qualifiers(first.rest), _qualifiers(second.rest)
    return any(not ours[word] & theirs[word] for word in ours.keys() & theirs.keys())


def _qualifiers(text: str) -> dict[str, set[str]]:
    """Return, by word, the content words and numbers right before it."""
    found: dict[str, set[str]] = {}
    for before, word in pairwise(_TOKEN.findall(text.casefold())):
        if not {before, word} & ({"#"} | FUNCTION_WORDS):
            found.setdefault(stem(word), set()).add(stem(before))
    return found


def _are_within(first: Statement, second: Statement, *, question: str) -> bool:
    """Whether both are limited by what follows a preposition, to different things."""
    known = _stems(question)
    ours, theirs = _places(first.rest), _places(second.rest)
    return bool(ours - known - _stems(second.rest) and theirs - known - _stems(first.rest))


def _places(text: str) -> set[str]:
    tokens = [token for token in _TOKEN.findall(text.casefold()) if token not in _ARTICLES]
    return {
        stem(word)
        for before, word in pairwise(tokens)
        if before in _WITHIN and word not in FUNCTION_WORDS | {"#"}
    }


def _stems(text: str) -> set[str]:
    return {stem(token) for token in _TOKEN.findall(text.casefold())}


def _are_named(first: Statement, second: Statement, *, question: str) -> bool:
    asked = _stems(question)
    ours, theirs = _names(first.rest), _names(second.rest)
    only_ours = {name for name in ours if name not in asked | theirs.keys()}
    only_theirs = {name for name in theirs if name not in asked | ours.keys()}
    if only_ours and only_theirs:
        return True
    named = {**ours, **theirs}
    return any(named[name] for name in only_ours | only_theirs)


def _names(text: str) -> dict[str, bool]:
    """Return the names within a sentence, and whether each is told as a place or a party."""
    return {
        stem(word.casefold()): before.casefold() in _WITHIN | _OF_PARTY
        for before, word in pairwise(_TOKEN.findall(text))
        if word[0].isupper() and word.casefold() not in FUNCTION_WORDS | MONTHS.keys()
    }
