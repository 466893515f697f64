"""The keyword arm: passages that hold the rare words of the question."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from operator import attrgetter
from time import perf_counter
from typing import Any

from django.db import connection

from knowledge.lexical import identifier_terms, question_terms
from retrieval.search.candidates import Candidates, as_tsquery, choose_candidates, quote_lexeme
from retrieval.search.scope import Scope
from retrieval.search.sql import filter_parameters, statement
from retrieval.search.terms import (
    MOST_TERMS,
    ExpansionTerms,
    Reading,
    Term,
    TermSet,
    is_usual,
    keep_rarest,
    keep_useful,
    read_expansion,
    unread_places,
)
from retrieval.types import Arm, ArmResult, Candidate, Filters
from retrieval.understanding import Expansion

# A question of a thousand words has no thousand words that matter.
MAX_SCORED_TERMS = 48
# Words are not independent, so more passages than expected may match; many more are not scored.
BUDGET_OVERRUN = 2
# ts_rank gives a passage that does not hold a whole conjunction 1e-20, not 0.
NO_MATCH = 1e-12

# One summand for each term: over an array of terms the sum would take longer than the ranks.
SUMMAND = "%(idf_{number})s::float8 * ts_rank(candidate.terms, %(lexeme_{number})s::tsquery, 1)"
# To see whether a term is there at all is quicker than to rank by it: worth it where most lack it.
SELDOM_SUMMAND = (
    "case when candidate.terms @@ %(lexeme_{number})s::tsquery then " + SUMMAND + " else 0 end"
)
SELDOM_SHARE = 0.05

IN_ORDER = attrgetter("word", "reading", "lexeme")

Scored = tuple[int, float]


def read_terms(
    question: str,
    *,
    expansions: Sequence[Expansion] = (),
    expansion_weight: float = 0.0,
    reads_identifiers: bool = True,
) -> tuple[TermSet, ...]:
    """Return the terms of a question for every text search configuration in use.

    Other wordings of its words count `expansion_weight` of what the words themselves do, 0: none.
    Without `reads_identifiers` codes are words like others.
    """
    widened = expansions if expansion_weight > 0 else ()
    parts = [
        (0, *part)
        for part in _parts(question)
        if reads_identifiers or part[1] is not Reading.IDENTIFIER
    ]
    for number, expansion in enumerate(widened, start=1):
        parts += [(number, *part) for part in _expansion_parts(expansion.text)]
    looked_up = _look_up(parts)
    places = {
        place for each in looked_up.values() for place in unread_places(each.terms[0], question)
    }
    if places:
        unstemmed = _look_up([(0, *part) for part in _plain_parts(question, places)])
        for language, each in unstemmed.items():
            looked_up[language].terms[0].extend(each.terms[0])
    corpus_size = sum(each.size for each in looked_up.values())
    return tuple(
        TermSet(
            language=language,
            language_size=each.size,
            corpus_size=corpus_size,
            terms=keep_rarest(keep_useful(sorted(each.terms[0], key=IN_ORDER))),
            expansions=_read_expansions(widened, each.terms),
            expansion_weight=expansion_weight,
        )
        for language, each in sorted(looked_up.items())
        if any(each.terms.values())
    )


@dataclass(slots=True)
class _LookedUp:
    """The size of a language, and the terms by the number of the wording they are of."""

    size: int
    terms: dict[int, list[Term]] = field(default_factory=lambda: defaultdict(list))


def _look_up(parts: Sequence[tuple[int, int, Reading, str]]) -> dict[str, _LookedUp]:
    """Return the terms of (wording, place of the word, reading, text), by language."""
    parameters: dict[str, Any] = {
        "expansions": [number for number, _, _, _ in parts],
        "words": [word for _, word, _, _ in parts],
        "readings": [reading.value for _, _, reading, _ in parts],
        "texts": [text for _, _, _, text in parts],
    }
    with connection.cursor() as cursor:
        cursor.execute(statement("question_terms"), parameters)
        rows = cursor.fetchall()
    looked_up: dict[str, _LookedUp] = {}
    for language, size, number, word, reading, lexeme, held, repeated in rows:
        found = looked_up.setdefault(language, _LookedUp(size))
        if lexeme is not None:
            found.terms[number].append(
                Term(
                    word=word,
                    reading=Reading(reading),
                    lexeme=lexeme,
                    document_frequency=held or 0,
                    repeated_frequency=repeated or 0,
                )
            )
    return looked_up


def find_by_keyword(
    questions: Sequence[TermSet], *, filters: Filters, depth: int, budget: int, scope: Scope
) -> ArmResult:
    """Return the best `depth` chunks by the sum of idf x ts_rank over all terms.

    Only about `budget` passages, chosen by the rarest terms, are scored; all that match when the
    scope holds no more. A question without a single lexeme finds nothing.
    """
    started = perf_counter()
    scored: list[Scored] = []
    is_exact = is_complete = True
    for question in questions:
        chosen = _candidates(question, budget=budget, scope=scope)
        if chosen.held or chosen.repeated:
            most = budget * BUDGET_OVERRUN
            parameters: dict[str, Any] = {
                **filter_parameters(filters),
                "language": question.language,
                "held": as_tsquery(chosen.held) or None,
                "repeated": as_tsquery(chosen.repeated) or None,
                "most": most,
                "depth": depth,
            }
            rows = _score("keyword", question, parameters)
            scored += [(chunk_id, score) for chunk_id, score, _ in rows]
            is_complete = is_complete and (not rows or rows[0][2] < most)
            is_exact = is_exact and is_complete and _finds_all(question, chosen)
    return ArmResult(
        arm=Arm.KEYWORD,
        candidates=best_first(scored, depth=depth),
        is_exact=is_exact,
        is_complete=is_complete,
        milliseconds=(perf_counter() - started) * 1000,
    )


def best_first(scored: Iterable[Scored], *, depth: int) -> tuple[Candidate, ...]:
    """Return the best `depth` of (chunk_id, score), as candidates with their ranks."""
    ordered = sorted(scored, key=lambda pair: (-pair[1], pair[0]))
    return tuple(
        Candidate(chunk_id=chunk_id, rank=rank, score=score)
        for rank, (chunk_id, score) in enumerate(ordered[:depth], start=1)
    )


def score_by_keyword(questions: Sequence[TermSet], chunk_ids: Sequence[int]) -> dict[int, float]:
    """Return the score of each given chunk in which a term occurs."""
    scores: dict[int, float] = {}
    for question in questions:
        if chunk_ids and question.terms:
            parameters = {"language": question.language, "chunk_ids": list(chunk_ids)}
            rows = _score("keyword_scores", question, parameters)
            scores |= {chunk_id: score for chunk_id, score in rows if score > NO_MATCH}
    return scores


def _score(name: str, question: TermSet, parameters: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Return the rows of a statement that scores by the terms of a question."""
    summands: list[str] = []
    terms: dict[str, Any] = {}
    for number, (lexeme, idf, is_seldom) in enumerate(_weights(question)):
        summands.append((SELDOM_SUMMAND if is_seldom else SUMMAND).format(number=number))
        terms |= {f"lexeme_{number}": lexeme, f"idf_{number}": idf}
    text = statement(name).replace("{score}", " + ".join(summands))
    with connection.cursor() as cursor:
        cursor.execute(text, {**parameters, **terms})
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def _weights(question: TermSet) -> list[tuple[str, float, bool]]:
    """Return what is scored, as queries, with their weights and whether few passages hold them."""
    frequencies = question.frequencies(most=MAX_SCORED_TERMS)
    seldom = question.language_size * SELDOM_SHARE
    return [
        *(
            (quote_lexeme(lexeme), question.idf(found), found < seldom)
            for lexeme, found in frequencies.items()
        ),
        *(
            (as_tsquery([expansion.lexemes]), question.expansion_idf(expansion), True)
            for expansion in question.expansions
        ),
    ]


def _parts(question: str) -> list[tuple[int, Reading, str]]:
    """Return (place of the word, reading, text) of what is to be looked up."""
    parts = [(0, Reading.IDENTIFIER, " ".join(identifier_terms(question)))]
    for place, word in enumerate(question.split(), start=1):
        parts += [
            (place, Reading.WORD, word),
            (place, Reading.IDENTIFIER, " ".join(identifier_terms(word))),
        ]
    return [part for part in parts if part[2]]


def _plain_parts(question: str, places: Set[int]) -> list[tuple[int, Reading, str]]:
    """Return the same of the words at those places, unstemmed."""
    parts = []
    for place, word in enumerate(question.split(), start=1):
        if place in places:
            identifiers = identifier_terms(word)
            plain = [term for term in question_terms(word) if term not in identifiers]
            parts.append((place, Reading.PLAIN, " ".join(plain)))
    return [part for part in parts if part[2]]


def _read_expansions(
    expansions: Sequence[Expansion], terms: Mapping[int, Sequence[Term]]
) -> tuple[ExpansionTerms, ...]:
    """Return the other wordings as one configuration reads them; `terms` are by their number."""
    read = [
        (expansion, read_expansion(expansion.places, terms[number]))
        for number, expansion in enumerate(expansions, start=1)
        if terms.get(number)
    ]
    asked = terms.get(0, ())
    return tuple(each for expansion, each in read if expansion.is_taught or is_usual(each, asked))


def _expansion_parts(text: str) -> list[tuple[int, Reading, str]]:
    """Return (place of the word, reading, text) of another wording; it is known how it is meant."""
    parts = []
    for place, word in enumerate(text.split(), start=1):
        identifiers = " ".join(identifier_terms(word))
        is_identifier = bool(identifiers)
        reading = Reading.IDENTIFIER if is_identifier else Reading.WORD
        parts.append((place, reading, identifiers or word))
    return parts


def _candidates(question: TermSet, *, budget: int, scope: Scope) -> Candidates:
    """Return what passages have to hold, or repeat, to be scored.

    Frequencies are those of the corpus. In a narrow scope only so large a share of the passages
    counts against the budget as the scope is of the corpus. Other wordings have a budget of their
    own, so that they do not take the place of what was asked.
    """
    counts = question.counts(most=MAX_SCORED_TERMS)
    if scope.size <= budget:
        wordings = (expansion.lexemes for expansion in question.expansions)
        return Candidates(held=(*((lexeme,) for lexeme in counts.held), *wordings))
    share = max(counts.corpus_size / scope.size, 1.0) if scope.is_narrow else 1.0
    in_corpus = int(budget * share)
    chosen = choose_candidates(counts, budget=in_corpus)
    affordable = question.affordable_expansions(budget=in_corpus)
    return replace(chosen, held=(*chosen.held, *affordable))


def _finds_all(question: TermSet, chosen: Candidates) -> bool:
    """Tell whether whatever holds one of the terms, or another wording, was chosen."""
    return {(lexeme,) for lexeme in question.frequencies(most=MOST_TERMS)} | {
        expansion.lexemes for expansion in question.expansions
    } <= set(chosen.held)
