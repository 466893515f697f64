"""Fills a database with made-up answers over scopes of very different size."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from time import perf_counter

from django.db import connection
from django.db.backends.utils import CursorWrapper
from psycopg.types.json import Jsonb

from cachemgr.keys import Scope, question_key, scope_fingerprint
from cachemgr.services.vector_index import create_index, index_name
from cachemgr.sql import statement
from knowledge.embedding.base import EmbeddingSpec, Vector
from knowledge.models import EVERYONE, EmbeddingSpace
from knowledge.services import ensure_space
from retrieval.evaluation.synthetic import Chance
from retrieval.types import Filters

# Shares of the answers; what is left goes to MANY_SCOPES scopes of equal size.
SHARES = {"large": 0.5, "medium": 0.1, "small": 0.01, "tiny": 0.0005}
MANY_SCOPES = 200
BATCH = 5_000
BUILD_MEMORY = "4GB"
CREATE = """
CREATE TEMPORARY TABLE synthetic_question (
    number bigint, question text, question_key text, scope_fingerprint text, scope jsonb,
    vector vector
)
"""
COPY = """
COPY synthetic_question (number, question, question_key, scope_fingerprint, scope, vector)
FROM STDIN
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticAnswers:
    """Answers to ask for: their scopes by name, with how many each has."""

    space: EmbeddingSpace
    scopes: dict[str, Scope]
    sizes: dict[str, int]
    load_seconds: float
    build_seconds: float


def fill_answers(
    *,
    count: int,
    spec: EmbeddingSpec,
    now: datetime,
    chance: Chance,
    advance: Callable[[int], None],
) -> SyntheticAnswers:
    """Store that many answers and build the vector index as the product does.

    `advance` hears of each answer written, and of as many when the index is built.
    """
    started = perf_counter()
    space = ensure_space(spec)
    scopes = [_scope(space, name) for name in (*SHARES, *map(str, range(MANY_SCOPES)))]
    names = list(_scope_numbers(count))
    with connection.cursor() as cursor:
        cursor.execute(f"DROP INDEX IF EXISTS {index_name(space.pk)}")
        cursor.execute(CREATE)
        for first in range(0, count, BATCH):
            size = min(BATCH, count - first)
            _copy(cursor, first, [scopes[place] for place in names[first : first + size]], chance)
            cursor.execute(statement("fill_answers"), {"space_id": space.pk, "now": now})
            cursor.execute("TRUNCATE synthetic_question")
            advance(size)
        loaded = perf_counter()
        cursor.execute(f"SET maintenance_work_mem = '{BUILD_MEMORY}'")
        create_index(space)
        cursor.execute("VACUUM ANALYZE cachemgr_cachedresponse")
        advance(count)
    return SyntheticAnswers(
        space=space,
        scopes=dict(zip(SHARES, scopes, strict=False)),
        sizes={name: names.count(place) for place, name in enumerate(SHARES)},
        load_seconds=loaded - started,
        build_seconds=perf_counter() - loaded,
    )


def stored_question(number: int) -> str:
    """Return the words of the question that was stored as number so many."""
    return f"what is entry {number} about"


def vector_literal(vector: Vector) -> str:
    """Return a vector as the database reads it."""
    return f"[{','.join(map(str, vector.tolist()))}]"


def _scope(space: EmbeddingSpace, name: str) -> Scope:
    return Scope(
        filters=Filters(access_tags=frozenset({EVERYONE})),
        profile="default",
        profile_version=1,
        space_id=space.pk,
        chat_model=name,
    )


def _scope_numbers(count: int) -> Iterator[int]:
    """Yield the number of the scope of each answer, scopes mixed as they are in use."""
    for number in range(count):
        # Multiples of the golden ratio are spread evenly.
        place = (number * 0.618_033_988_749_895) % 1.0
        for scope, share in enumerate(SHARES.values()):
            place -= share
            if place < 0:
                yield scope
                break
        else:
            yield len(SHARES) + number % MANY_SCOPES


def _copy(cursor: CursorWrapper, first: int, scopes: list[Scope], chance: Chance) -> None:
    vectors = chance.draw_vectors(len(scopes))
    with cursor.copy(COPY) as copy:
        for number, (scope, vector) in enumerate(zip(scopes, vectors, strict=True), start=first):
            question = stored_question(number)
            copy.write_row(
                (
                    number,
                    question,
                    question_key(question),
                    scope_fingerprint(scope),
                    Jsonb(scope.as_json()),
                    vector_literal(vector),
                )
            )
