"""The keyword arm: passages that hold the rare words of the question."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

from django.db import connection

from knowledge.lexical import identifier_terms, question_terms
from retrieval.search.candidates import Conjunction, as_tsquery, choose_candidates, quote_lexeme
from retrieval.search.scope import Scope
from retrieval.search.sql import filter_parameters, statement
from retrieval.search.terms import Reading, Term, TermSet, keep_useful, read_expansion
from retrieval.types import Arm, ArmResult, Candidate, Filters
from retrieval.understanding import Expansion

# A question of a thousand words has no thousand words that matter.
MAX_SCORED_TERMS = 48
# Words are not independent, so more passages than expected may match; many more are not scored.
BUDGET_OVERRUN = 4
# ts_rank gives a passage that does not hold a whole conjunction 1e-20, not 0.
NO_MATCH = 1e-12

Scored = tuple[int, float]


def read_terms(
    question: str, *, expansions: Sequence[Expansion] = (), expansion_weight: float = 0.0
) -> tuple[TermSet, ...]:
    """Return the terms of a question for every text search configuration in use.

    Other wordings of its words count `expansion_weight` of what the words themselves do, 0: none.
    """
    widened = expansions if expansion_weight > 0 else ()
    parts = [(0, *part) for part in _parts(question)]
    for number, expansion in enumerate(widened, start=1):
        parts += [(number, *part) for part in _expansion_parts(expansion.text)]
    parameters: dict[str, Any] = {
        "expansions": [number for number, _, _, _ in parts],
        "words": [word for _, word, _, _ in parts],
        "readings": [reading.value for _, _, reading, _ in parts],
        "texts": [text for _, _, _, text in parts],
    }
    with connection.cursor() as cursor:
        cursor.execute(statement("question_terms"), parameters)
        rows = cursor.fetchall()
    read: dict[str, dict[int, list[Term]]] = defaultdict(lambda: defaultdict(list))
    sizes: dict[str, int] = {}
    for language, language_size, number, word, reading, lexeme, document_frequency in rows:
        sizes[language] = language_size
        read[language][number].append(
            Term(
                word=word,
                reading=Reading(reading),
                lexeme=lexeme,
                document_frequency=document_frequency or 0,
            )
        )
    return tuple(
        TermSet(
            language=language,
            language_size=sizes[language],
            corpus_size=sum(sizes.values()),
            terms=keep_useful(terms[0]),
            expansions=tuple(
                read_expansion(expansion.places, terms[number])
                for number, expansion in enumerate(widened, start=1)
                if terms[number]
            ),
            expansion_weight=expansion_weight,
        )
        for language, terms in read.items()
    )


def find_by_keyword(
    questions: Sequence[TermSet], *, filters: Filters, depth: int, budget: int, scope: Scope
) -> ArmResult:
    """Return the best `depth` chunks by the sum of idf x ts_rank over all terms.

    Only about `budget` passages, chosen by the rarest terms, are scored; all that match when the
    scope holds no more. A question without a single lexeme finds nothing.
    """
    started = perf_counter()
    scored: list[Scored] = []
    is_complete = True
    for question in questions:
        frequencies = question.frequencies(most=MAX_SCORED_TERMS)
        conjunctions = _conjunctions(question, frequencies, budget=budget, scope=scope)
        if conjunctions:
            most = budget * BUDGET_OVERRUN
            parameters = {
                **filter_parameters(filters),
                **_weights(question),
                "language": question.language,
                "candidates": as_tsquery(conjunctions),
                "most": most,
                "depth": depth,
            }
            found, candidate_count = _score(parameters)
            scored += found
            is_complete = is_complete and candidate_count < most
    scored.sort(key=lambda pair: (-pair[1], pair[0]))
    return ArmResult(
        arm=Arm.KEYWORD,
        candidates=tuple(
            Candidate(chunk_id=chunk_id, rank=rank, score=score)
            for rank, (chunk_id, score) in enumerate(scored[:depth], start=1)
        ),
        is_complete=is_complete,
        milliseconds=(perf_counter() - started) * 1000,
    )


def score_by_keyword(questions: Sequence[TermSet], chunk_ids: Sequence[int]) -> dict[int, float]:
    """Return the score of each given chunk in which a term occurs."""
    scores: dict[int, float] = {}
    for question in questions:
        if chunk_ids and question.terms:
            parameters = {
                **_weights(question),
                "language": question.language,
                "chunk_ids": list(chunk_ids),
            }
            with connection.cursor() as cursor:
                cursor.execute(statement("keyword_scores"), parameters)
                rows = cursor.fetchall()
            scores |= {chunk_id: score for chunk_id, score in rows if score and score > NO_MATCH}
    return scores


def _weights(question: TermSet) -> dict[str, Any]:
    """Return the terms that are scored, as parameters."""
    frequencies = question.frequencies(most=MAX_SCORED_TERMS)
    return {
        "lexemes": [
            *map(quote_lexeme, frequencies),
            *(as_tsquery([expansion.lexemes]) for expansion in question.expansions),
        ],
        "idfs": [
            *map(question.idf, frequencies.values()),
            *map(question.expansion_idf, question.expansions),
        ],
    }


def _parts(question: str) -> list[tuple[int, Reading, str]]:
    """Return (place of the word, reading, text) of what is to be looked up."""
    parts = [(0, Reading.IDENTIFIER, " ".join(identifier_terms(question)))]
    for place, word in enumerate(question.split(), start=1):
        identifiers = identifier_terms(word)
        plain = [term for term in question_terms(word) if term not in identifiers]
        parts += [
            (place, Reading.WORD, word),
            (place, Reading.IDENTIFIER, " ".join(identifiers)),
            (place, Reading.PLAIN, " ".join(plain)),
        ]
    return [part for part in parts if part[2]]


def _expansion_parts(text: str) -> list[tuple[int, Reading, str]]:
    """Return (place of the word, reading, text) of another wording; it is known how it is meant."""
    parts = []
    for place, word in enumerate(text.split(), start=1):
        identifiers = " ".join(identifier_terms(word))
        is_identifier = bool(identifiers)
        reading = Reading.IDENTIFIER if is_identifier else Reading.WORD
        parts.append((place, reading, identifiers or word))
    return parts


def _conjunctions(
    question: TermSet, frequencies: Mapping[str, int], *, budget: int, scope: Scope
) -> list[Conjunction]:
    """Return what passages have to hold to be scored.

    Frequencies are those of the corpus. In a narrow scope only so large a share of the passages
    counts against the budget as the scope is of the corpus. Other wordings have a budget of their
    own, so that they do not take the place of what was asked.
    """
    if scope.size <= budget:
        wordings = (expansion.lexemes for expansion in question.expansions)
        return [*((lexeme,) for lexeme in frequencies), *wordings]
    size = question.language_size
    in_corpus = int(budget * max(size / scope.size, 1.0)) if scope.is_narrow else budget
    return [
        *choose_candidates(frequencies, corpus_size=size, budget=in_corpus),
        *question.affordable_expansions(budget=in_corpus),
    ]


def _score(parameters: dict[str, Any]) -> tuple[list[Scored], int]:
    """Return the best chunks with their scores, and how many were scored."""
    with connection.cursor() as cursor:
        cursor.execute(statement("keyword"), parameters)
        rows = cursor.fetchall()
    return [(chunk_id, score) for chunk_id, score, _ in rows], rows[0][2] if rows else 0
