"""Reads what is known of the chunks that were found."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache

from django.db import connection

from retrieval.search.candidates import quote_lexeme
from retrieval.search.sql import filter_parameters, statement
from retrieval.search.terms import TermSet, coverage, weigh_words
from retrieval.types import Evidence, Filters

FIELDS = (
    "chunk_id",
    "content_hash",
    "document_id",
    "position",
    "text",
    "prefix",
    "heading_path",
    "start",
    "end",
    "token_count",
    "title",
    "url",
    "external_id",
    "source_id",
    "source_name",
    "source_type",
    "source_type_label",
    "published_at",
    "fetched_at",
    "valid_from",
    "valid_until",
    "is_superseded",
    "successor_ids",
    "access_tags",
    "entity_ids",
    "trust",
    "authority",
    "half_life_days",
)
LISTS = ("heading_path", "successor_ids", "access_tags", "entity_ids")


def load_evidence(
    chunk_ids: Iterable[int],
    *,
    questions: Sequence[TermSet],
    beside_names: Sequence[TermSet] = (),
    filters: Filters,
    as_of: datetime,
) -> dict[int, Evidence]:
    """Return the evidence by chunk id; a chunk that is gone, or no longer readable, is left out.

    `beside_names` are the terms of the questions without names, where they have any.
    """
    words = {question.language: weigh_words(question) for question in questions}
    others = {question.language: weigh_words(question) for question in beside_names}
    terms = sorted(
        {(question.language, lexeme) for question in questions for lexeme in question.lexemes}
    )
    parameters = {
        **filter_parameters(filters),
        "chunk_ids": list(chunk_ids),
        "as_of": as_of,
        "languages": [language for language, _ in terms],
        "lexemes": [lexeme for _, lexeme in terms],
        "queries": [quote_lexeme(lexeme) for _, lexeme in terms],
    }
    with connection.cursor() as cursor:
        cursor.execute(statement("evidence"), parameters)
        rows = cursor.fetchall()

    @cache
    def shares(language: str, lexemes: frozenset[str]) -> tuple[float, float | None]:
        """Return both shares covered: most passages hold the same few of the lexemes."""
        other = others.get(language, ())
        return (
            coverage(words.get(language, ()), lexemes),
            coverage(other, lexemes) if other else None,
        )

    evidence = {}
    for *columns, language, held in rows:
        values = dict(zip(FIELDS, columns, strict=True))
        values |= {name: tuple(values[name]) for name in LISTS}
        covered, beside = shares(language, frozenset(held))
        evidence[values["chunk_id"]] = Evidence(
            **values, coverage=covered, coverage_beside_names=beside
        )
    return evidence
