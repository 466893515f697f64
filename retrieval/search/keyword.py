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
from retrieval.search.terms import Reading, Term, TermSet, keep_useful
from retrieval.types import Arm, ArmResult, Candidate, Filters

# A question of a thousand words has no thousand words that matter.
MAX_SCORED_TERMS = 48
# Words are not independent, so more passages than expected may match; many more are not scored.
BUDGET_OVERRUN = 4

Scored = tuple[int, float]


def read_terms(question: str) -> tuple[TermSet, ...]:
    """Return the terms of a question for every text search configuration in use."""
    parts = _parts(question)
    parameters: dict[str, Any] = {
        "words": [word for word, _, _ in parts],
        "readings": [reading.value for _, reading, _ in parts],
        "texts": [text for _, _, text in parts],
    }
    with connection.cursor() as cursor:
        cursor.execute(statement("question_terms"), parameters)
        rows = cursor.fetchall()
    by_language: dict[str, list[Term]] = defaultdict(list)
    sizes: dict[str, int] = {}
    for language, language_size, word, reading, lexeme, document_frequency in rows:
        sizes[language] = language_size
        by_language[language].append(
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
            terms=keep_useful(terms),
        )
        for language, terms in by_language.items()
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
        conjunctions = _conjunctions(
            frequencies, corpus_size=question.language_size, budget=budget, scope=scope
        )
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
                scores |= {chunk_id: score for chunk_id, score in cursor.fetchall() if score}
    return scores


def _weights(question: TermSet) -> dict[str, Any]:
    """Return the terms that are scored, as parameters."""
    frequencies = question.frequencies(most=MAX_SCORED_TERMS)
    return {
        "lexemes": [quote_lexeme(lexeme) for lexeme in frequencies],
        "idfs": [question.idf(frequency) for frequency in frequencies.values()],
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


def _conjunctions(
    frequencies: Mapping[str, int], *, corpus_size: int, budget: int, scope: Scope
) -> list[Conjunction]:
    """Return what passages have to hold to be scored.

    Frequencies are those of the corpus. In a narrow scope only so large a share of the passages
    counts against the budget as the scope is of the corpus.
    """
    if scope.size <= budget:
        return [(lexeme,) for lexeme in frequencies]
    in_corpus = budget * max(corpus_size / scope.size, 1.0) if scope.is_narrow else budget
    return choose_candidates(frequencies, corpus_size=corpus_size, budget=int(in_corpus))


def _score(parameters: dict[str, Any]) -> tuple[list[Scored], int]:
    """Return the best chunks with their scores, and how many were scored."""
    with connection.cursor() as cursor:
        cursor.execute(statement("keyword"), parameters)
        rows = cursor.fetchall()
    return [(chunk_id, score) for chunk_id, score, _ in rows], rows[0][2] if rows else 0
