"""Recognises in a text the entities it is about: rather none than a wrong one. Pure."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID

from knowledge.function_words import FUNCTION_WORDS

READ_CHARACTERS = 20_000
# What a text is about is named at its beginning; later a name has to come again.
BEGINNING = 500
REPEATED = 2
MOST_WORDS = 6
MOST_LINKS = 2
LEAST_LETTERS = 3
MOST_NAMES = 300
MOST_DOMAINS = 50
MOST_RECOGNISED = 20
# Mail from these tells nothing of where its sender works.
OPEN_TO_EVERYBODY = frozenset(
    (
        *("aol.com", "gmail.com", "gmx.de", "gmx.net", "googlemail.com", "hotmail.com"),
        *("icloud.com", "live.com", "mail.ru", "me.com", "msn.com", "outlook.com", "proton.me"),
        *("protonmail.com", "qq.com", "web.de", "yahoo.co.uk", "yahoo.com", "yandex.ru", "163.com"),
    )
)

# Each begins only where a word does: on a long text without spaces they stay linear.
_ADDRESS = re.compile(r"\b(?:https?://|www\.)\S+|(?<![\w.+-])[\w.+-]{1,64}@[\w.-]+", re.IGNORECASE)
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w.-]{4,253}")
_MAILBOX = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@")
_DOMAIN = re.compile(r"(?<![\w.-])(?:[a-z0-9][a-z0-9-]{0,62}\.){1,5}[a-z]{2,24}(?![\w-])")
_WORD = re.compile(r"[^\W_]+(?:[&'\u2019+.-][^\W_]+)*|&")
_POSSESSIVE = re.compile(r"['\u2019][sS]$")
_DIGIT = re.compile(r"\d")
_INNER_CAPITAL = re.compile(r"[a-z][A-Z]|\d")
_LEGAL_FORM = re.compile(r"(?:inc|llc|ltd|gmbh|corp|co|plc|lp|ag|bv|pty)$", re.IGNORECASE)
_WITHIN_SENTENCE = re.compile(r"[ ,(]*|[ ]*\n[ ]*")
_LINKS = frozenset(
    {"&", "and", "da", "de", "del", "der", "du", "et", "for", "la", "of", "the", "und", "van"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mentions:
    """What in a text may name an entity, the most telling first.

    `counts` has for each name, folded, how often it occurs. `addresses` are those of mail.
    """

    names: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)


class _Word(NamedTuple):
    """A word with its place and what stands between it and the one before."""

    text: str
    start: int
    end: int
    gap: str
    is_named: bool


def find_mentions(*, title: str, text: str) -> Mentions:
    """Return the names and domains that say what a text is about, out of its first pages."""
    read = text[:READ_CHARACTERS]
    counts: Counter[str] = Counter()
    spellings: dict[str, str] = {}
    early: dict[str, None] = {}
    for name, start in _names(read):
        folded = name.casefold()
        counts[folded] += 1
        spellings.setdefault(folded, name)
        if start < BEGINNING:
            early[folded] = None
    for name, _ in _names(title, is_title=True):
        # A title begins with a capital, or has them throughout: one word needs the text's word.
        if counts[name.casefold()] or " " in name or _INNER_CAPITAL.search(name):
            spellings.setdefault(name.casefold(), name)
            early[name.casefold()] = None
    repeated = [name for name, count in counts.most_common() if count >= REPEATED]
    telling = tuple(dict.fromkeys([*early, *repeated]))[:MOST_NAMES]
    return Mentions(
        names=tuple(spellings[name] for name in telling),
        addresses=tuple(dict.fromkeys(_addresses(f"{title}\n{read}")))[:MOST_DOMAINS],
        domains=tuple(dict.fromkeys(_domains(f"{title}\n{read}")))[:MOST_DOMAINS],
        counts=counts,
    )


def choose_recognised(mentions: Mentions, matches: Mapping[str, Sequence[UUID]]) -> dict[UUID, str]:
    """Return the entities that a text is about with what it calls them.

    `matches` has the entities of each name or domain. A name of several entities tells nothing, and
    one within a longer name that is known is part of that.
    """
    known = [name for name in mentions.names if matches.get(name)]
    names = [name for name in known if not _is_part(name, known, mentions.counts)]
    found: dict[UUID, str] = {}
    for written in (*names, *mentions.addresses, *mentions.domains):
        match matches.get(written, ()):
            case (entity_id,):
                found.setdefault(entity_id, written)
    return dict(list(found.items())[:MOST_RECOGNISED])


def _is_part(name: str, known: Sequence[str], counts: Mapping[str, int]) -> bool:
    folded = f" {name.casefold()} "
    longer = [each.casefold() for each in known if folded in f" {each.casefold()} "]
    within = sum(counts[each] for each in longer if each != name.casefold())
    return len(longer) > 1 and counts[name.casefold()] - within < REPEATED


def _addresses(text: str) -> Iterator[str]:
    """Yield each mail address, in small letters."""
    for match in _MAIL.finditer(text.lower()):
        yield match[0].rstrip(".-")


def _domains(text: str) -> Iterator[str]:
    """Yield each domain and those it is part of."""
    for match in _DOMAIN.finditer(_MAILBOX.sub(" ", text.lower())):
        labels = match[0].split(".")
        for start in range(len(labels) - 1):
            domain = ".".join(labels[start:])
            if domain not in OPEN_TO_EVERYBODY:
                yield domain


def _names(text: str, *, is_title: bool = False) -> Iterator[tuple[str, int]]:
    """Yield what may be a name, each time it occurs, with where."""
    plain = _ADDRESS.sub(lambda match: "|" * len(match[0]), text)
    words = list(_words(plain))
    ordinary = {word.text for word in words if word.text.islower()}
    for run in _runs(words):
        if len(run) > 1:
            yield from _parts(plain, run)
        elif is_title or _stands_for_itself(run[0], ordinary):
            yield from _spellings(plain, run[0], run[0])


def _words(text: str) -> Iterator[_Word]:
    end = 0
    for match in _WORD.finditer(text):
        word, start, gap = match[0], match.start(), text[end : match.start()]
        end = match.end()
        yield _Word(word, start, end, gap, _is_named(word))


def _is_named(word: str) -> bool:
    """Whether it is written with a capital or a digit and is no word of grammar."""
    folded = word.lower()
    if word == folded and not _DIGIT.search(word):
        return False
    return folded not in FUNCTION_WORDS


def _runs(words: Sequence[_Word]) -> Iterator[list[_Word]]:
    """Yield words that stand together and are written as names, links between them included."""
    run: list[_Word] = []
    links: list[_Word] = []
    for word in words:
        if not _continues(word):
            if run:
                yield run
            run, links = [], []
        if word.is_named:
            run.extend([*links, word])
            links = []
        elif run and len(links) < MOST_LINKS and word.text.lower() in _LINKS:
            links.append(word)
        else:
            if run:
                yield run
            run, links = [], []
    if run:
        yield run


def _continues(word: _Word) -> bool:
    """Whether only a space, or what stands before a legal form, parts it from the word before."""
    return word.gap in {" ", "\n"} or (
        word.gap in {", ", "/"} and _LEGAL_FORM.match(word.text) is not None
    )


def _parts(text: str, run: Sequence[_Word]) -> Iterator[tuple[str, int]]:
    for place, first in enumerate(run):
        if not first.is_named:
            continue
        for last in run[place + 1 : place + MOST_WORDS]:
            if last.is_named:
                yield from _spellings(text, first, last)


def _stands_for_itself(word: _Word, ordinary: set[str]) -> bool:
    """Whether one word is written as a name though nothing asks for a capital there."""
    bare = _POSSESSIVE.sub("", word.text)
    if bare.lower() in ordinary:
        return False
    if _INNER_CAPITAL.search(bare):
        return True
    return bool(word.gap) and _WITHIN_SENTENCE.fullmatch(word.gap) is not None


def _spellings(text: str, first: _Word, last: _Word) -> Iterator[tuple[str, int]]:
    """Yield a name as written, without the possessive, and with the point of an abbreviation."""
    name = " ".join(text[first.start : last.end].split())
    for spelling in {name, _POSSESSIVE.sub("", name)}:
        if sum(map(str.isalpha, spelling)) >= LEAST_LETTERS:
            yield spelling, first.start
            if _LEGAL_FORM.search(last.text) and text[last.end : last.end + 1] == ".":
                yield f"{spelling}.", first.start
