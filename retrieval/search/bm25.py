"""The keyword arm on the extension pg_textsearch, for databases that have it.

The extension keeps one index for each text search configuration, reads the question itself and
ranks by BM25. Other wordings of the question are not asked: it has no weight for them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from django.db import connection

from knowledge.lexical import identifier_terms, normalise_text
from knowledge.models import CorpusStatistic
from retrieval.search.keyword import best_first
from retrieval.search.sql import filter_parameters, statement
from retrieval.types import Arm, ArmResult, Filters

EXTENSION = "pg_textsearch"
# What is indexed: all that an own index of words holds.
INDEXED = "(c.prefix || ' ' || c.text || ' ' || c.extra_terms)"
BUILDING = (
    "CREATE INDEX CONCURRENTLY {name} ON knowledge_chunk USING bm25"
    " ((prefix || ' ' || text || ' ' || extra_terms)) WITH (text_config = '{language}')"
    " WHERE language = '{language}'"
)
VALID = """
SELECT relname
FROM pg_class JOIN pg_index ON indexrelid = pg_class.oid
WHERE indisvalid AND indisready AND relname = ANY(%s)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsAsked:
    """A question as the extension reads it, with its identifiers in parts, and in which languages.

    Languages are text search configurations.
    """

    text: str
    languages: tuple[str, ...]


def read_words(question: str, *, languages: Iterable[str]) -> WordsAsked:
    """Return the question with the terms that documents are indexed by beside their words."""
    words = " ".join([normalise_text(question), *identifier_terms(question)])
    return WordsAsked(text=words, languages=tuple(languages))


def find_by_bm25(asked: WordsAsked, *, filters: Filters, depth: int) -> ArmResult:
    """Return the best `depth` chunks by BM25, of the configurations asked."""
    started = perf_counter()
    scored: list[tuple[int, float]] = []
    for language in asked.languages:
        scored += _fetch("bm25", asked, language, {**filter_parameters(filters), "depth": depth})
    return ArmResult(
        arm=Arm.KEYWORD,
        candidates=best_first(scored, depth=depth),
        is_exact=True,
        milliseconds=(perf_counter() - started) * 1000,
    )


def score_by_bm25(asked: WordsAsked, chunk_ids: Sequence[int]) -> dict[int, float]:
    """Return the score of each given chunk in which a word occurs."""
    scores: dict[int, float] = {}
    for language in asked.languages if chunk_ids else ():
        scores |= _fetch("bm25_scores", asked, language, {"chunk_ids": list(chunk_ids)})
    return scores


def missing_indexes(languages: Iterable[str]) -> list[str]:
    """Return the names of the indexes that the extension would need and that are not there."""
    wanted = [index_name(language) for language in languages]
    with connection.cursor() as cursor:
        cursor.execute(VALID, [wanted])
        found = {name for (name,) in cursor.fetchall()}
    return [name for name in wanted if name not in found]


def languages_in_use() -> list[str]:
    """Return the text search configurations that documents are in."""
    return list(CorpusStatistic.objects.order_by("language").values_list("language", flat=True))


def index_name(language: str) -> str:
    """Return the name of the index of one text search configuration."""
    return f"chunk_bm25_{language}"


def index_statement(language: str) -> str:
    """Return the statement that builds the index of one text search configuration."""
    name = connection.ops.quote_name(index_name(language))
    return BUILDING.format(name=name, language=language.replace("'", "''"))


def _fetch(
    name: str, asked: WordsAsked, language: str, parameters: dict[str, Any]
) -> list[tuple[int, float]]:
    text = statement(name).replace("{indexed}", INDEXED)
    named = {"words": asked.text, "index": index_name(language), "language": language}
    with connection.cursor() as cursor:
        cursor.execute(text, {**parameters, **named})
        rows: list[tuple[int, float]] = cursor.fetchall()
    return rows
