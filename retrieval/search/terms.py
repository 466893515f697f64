"""The terms of a question, and how much of its weight a passage covers. Pure."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum

from retrieval.search.candidates import Conjunction, Counts

# A passage cannot hold more of a question that it would matter; each is looked for in each passage.
MOST_TERMS = 256


class Reading(StrEnum):
    """How a term was read: in the language of the corpus, as part of an identifier, unstemmed."""

    WORD = "word"
    IDENTIFIER = "identifier"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A lexeme of the question; `word` is the place of its word, 0 when it spans several.

    `document_frequency` is 0 for a lexeme that was never counted; in `repeated_frequency` of those
    passages it occurs more than once.
    """

    word: int
    reading: Reading
    lexeme: str
    document_frequency: int
    repeated_frequency: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpansionTerms:
    """The lexemes of another wording of the words at `places`: a passage holds all of them or none.

    No more passages than `document_frequency`, that of the rarest, can hold all.
    """

    places: frozenset[int]
    frequencies: Mapping[str, int]

    @property
    def lexemes(self) -> Conjunction:
        """The lexemes in a fixed order."""
        return tuple(sorted(self.frequencies))

    @property
    def document_frequency(self) -> int:
        """How many passages hold the rarest lexeme."""
        return min(self.frequencies.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class TermSet:
    """The terms of a question in one text search configuration.

    `language_size` is the number of chunks of that configuration, `corpus_size` that of all. What
    other wordings add weighs `expansion_weight` of what was asked, 0..1.
    """

    language: str
    language_size: int
    corpus_size: int
    terms: tuple[Term, ...]
    expansions: tuple[ExpansionTerms, ...] = ()
    expansion_weight: float = 0.0

    @property
    def lexemes(self) -> frozenset[str]:
        """Every lexeme of the question and of its other wordings."""
        others = (lexeme for expansion in self.expansions for lexeme in expansion.frequencies)
        return frozenset([*(term.lexeme for term in self.terms), *others])

    def frequencies(self, *, most: int) -> dict[str, int]:
        """Return the document frequency of each lexeme once, rarest first, at most `most`.

        Where there are more, those that occur take precedence.
        """
        found = {term.lexeme: term.document_frequency for term in self.terms}
        kept = sorted(found, key=lambda lexeme: (not found[lexeme], found[lexeme], lexeme))[:most]
        return {
            lexeme: found[lexeme] for lexeme in sorted(kept, key=lambda each: (found[each], each))
        }

    def counts(self, *, most: int) -> Counts:
        """Return how many passages hold, and how many repeat, the lexemes of `frequencies`."""
        return Counts(
            corpus_size=self.language_size,
            held=self.frequencies(most=most),
            repeated={term.lexeme: term.repeated_frequency for term in self.terms},
        )

    def idf(self, document_frequency: int) -> float:
        """Return the weight of a lexeme."""
        return inverse_document_frequency(document_frequency, corpus_size=self.corpus_size)

    def expansion_idf(self, expansion: ExpansionTerms) -> float:
        """Return the weight of another wording: never more than its share of the words asked.

        Else a rare synonym of a common word would decide the order.
        """
        own = self.idf(expansion.document_frequency)
        asked: dict[int, float] = {}
        for term in self.terms:
            if term.word in expansion.places:
                weight = self.idf(term.document_frequency)
                asked[term.word] = max(weight, asked.get(term.word, 0.0))
        return self.expansion_weight * min(own, sum(asked.values()) if asked else own)

    def affordable_expansions(self, *, budget: int) -> list[Conjunction]:
        """Return the rarest other wordings, while no more than `budget` passages can hold them."""
        affordable = []
        for expansion in sorted(self.expansions, key=lambda each: each.document_frequency):
            budget -= expansion.document_frequency
            if budget < 0:
                break
            affordable.append(expansion.lexemes)
        return affordable


def read_expansion(places: Iterable[int], terms: Iterable[Term]) -> ExpansionTerms:
    """Return another wording of the words at `places` as its terms were read."""
    return ExpansionTerms(
        places=frozenset(places),
        frequencies={term.lexeme: term.document_frequency for term in terms},
    )


def is_usual(expansion: ExpansionTerms, asked: Iterable[Term]) -> bool:
    """Return whether more passages hold another wording than the words asked."""
    best: dict[int, int] = dict.fromkeys(expansion.places, 0)
    for term in asked:
        if term.word in best:
            best[term.word] = max(best[term.word], term.document_frequency)
    return expansion.document_frequency > min(best.values())


def inverse_document_frequency(document_frequency: int, *, corpus_size: int) -> float:
    """Return ln(1 + (N - n + 0.5) / (n + 0.5)), as in BM25 (Robertson and Zaragoza, 2009)."""
    others = max(corpus_size - document_frequency, 0)
    return math.log1p((others + 0.5) / (document_frequency + 0.5))


def keep_rarest(terms: Sequence[Term]) -> tuple[Term, ...]:
    """Return at most MOST_TERMS terms in their order: the rarest of those that occur first."""
    if len(terms) <= MOST_TERMS:
        return tuple(terms)
    by_rarity = sorted(
        range(len(terms)),
        key=lambda index: (
            not terms[index].document_frequency,
            terms[index].document_frequency,
            index,
        ),
    )
    return tuple(terms[index] for index in sorted(by_rarity[:MOST_TERMS]))


def unread_places(terms: Iterable[Term], question: str) -> set[int]:
    """Return the places of the words that have to be read unstemmed as well.

    They may be part of an identifier in a document. That helps a word whose stem occurs nowhere,
    and a question of stop words alone; it would give other stop words the weight of rare codes.
    """
    given = tuple(terms)
    if not any(term.document_frequency for term in given):
        return set(range(1, len(question.split()) + 1))
    stemmed = [term for term in given if term.reading is Reading.WORD]
    known = {term.word for term in stemmed if term.document_frequency}
    return {term.word for term in stemmed} - known


def keep_useful(terms: Iterable[Term]) -> tuple[Term, ...]:
    """Leave out unstemmed words, except those that occur where no stem of the word does."""
    given = tuple(terms)
    known = {
        term.word for term in given if term.reading is Reading.WORD and term.document_frequency
    }
    is_anything_known = any(
        term.document_frequency for term in given if term.reading is not Reading.PLAIN
    )
    stemmed = {term.word for term in given if term.reading is Reading.WORD}
    return tuple(
        term
        for term in given
        if term.reading is not Reading.PLAIN
        or (term.document_frequency and (term.word in stemmed - known or not is_anything_known))
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WeighedWord:
    """A word of the question: its weight, and the share of each lexeme in each of its readings.

    The shares of a reading add up to 1. A passage that holds all lexemes of one of its `wordings`
    says the same.
    """

    weight: float
    readings: tuple[Mapping[str, float], ...]
    wordings: tuple[frozenset[str], ...] = ()


def weigh_words(question: TermSet) -> tuple[WeighedWord, ...]:
    """Return the words of a question; a word weighs as much as its rarest lexeme."""
    by_word: dict[int, dict[Reading, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    # Of a question of little words alone only what spans several of them is known.
    has_words = any(term.word for term in question.terms)
    for term in question.terms:
        if term.word or not has_words:
            idf = question.idf(term.document_frequency)
            by_word[term.word][term.reading][term.lexeme] = idf
    return tuple(
        WeighedWord(
            weight=max((readings.get(Reading.WORD) or _joined(readings.values())).values()),
            readings=tuple(map(_shares, readings.values())),
            wordings=tuple(
                frozenset(expansion.lexemes)
                for expansion in question.expansions
                if place in expansion.places
            ),
        )
        for place, readings in by_word.items()
    )


def coverage(words: Iterable[WeighedWord], held: Set[str]) -> float:
    """Return the share, 0..1, of the question's weight that a passage with lexemes `held` covers.

    A word is covered as far as its best reading is: an identifier that is written otherwise counts
    when its parts and joins are there.
    """
    total = covered = 0.0
    for word in words:
        total += word.weight
        if any(lexemes <= held for lexemes in word.wordings):
            covered += word.weight
        else:
            covered += word.weight * max(_share(lexemes, held) for lexemes in word.readings)
    return covered / total if total else 0.0


def _joined(readings: Iterable[Mapping[str, float]]) -> dict[str, float]:
    return {lexeme: idf for lexemes in readings for lexeme, idf in lexemes.items()}


def _shares(weights: Mapping[str, float]) -> dict[str, float]:
    total = sum(weights.values())
    return {lexeme: weight / total for lexeme, weight in weights.items()}


def _share(shares: Mapping[str, float], held: Set[str]) -> float:
    if shares.keys() <= held:
        return 1.0
    return sum(share for lexeme, share in shares.items() if lexeme in held)


def are_counted(questions: Iterable[TermSet]) -> bool:
    """Return whether the words of every configuration in use were ever counted."""
    return all(question.language_size for question in questions)


def describe_terms(questions: Iterable[TermSet]) -> dict[str, object]:
    """Return what a question was read as: terms that occur, and those that occur nowhere.

    The latter as the configuration with the most passages reads them.
    """
    given = tuple(questions)
    terms = [term for question in given for term in question.terms]
    known = {term.lexeme for term in terms if term.document_frequency}
    main = max(given, key=lambda question: question.language_size, default=None)
    read = {term.lexeme for term in main.terms if term.word} if main else set()
    return {"terms": sorted(known), "unknown_terms": sorted(read - known)}
