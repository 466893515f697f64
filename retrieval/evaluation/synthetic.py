"""Fills a database with passages made up by chance: Zipf words, vectors around centres."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import product
from time import perf_counter
from uuid import UUID

import numpy as np
import numpy.typing as npt
from django.db import connection

from knowledge.checks import TEXT_INDEXES
from knowledge.embedding.base import EmbeddingSpec, Vector
from knowledge.models import Document, EmbeddingSpace
from knowledge.services import ensure_source, ensure_space, refresh_term_statistics
from knowledge.services.spaces import create_index
from knowledge.services.warming import warm_search

SOURCES = 8
ENTITIES = 5_000
CHUNKS_PER_DOCUMENT = 10
# Words of natural text fall off about like this (Zipf).
VOCABULARY = 50_000
ZIPF_EXPONENT = 1.05
WORDS_PER_CHUNK = (60, 160)
CENTRES = 500
NOISE = 0.8
BATCH = 5_000
# An HNSW build that outgrows its memory goes on many times slower.
BUILD_MEMORY = "4GB"
COPY_CHUNKS = """
COPY knowledge_chunk (document_id, position, text, prefix, heading_path, start, "end", token_count,
    content_hash, extra_terms, search_vector, is_switched_off, is_active, source_id,
    source_type_id, language, access_tags, entity_ids) FROM STDIN
"""
COPY_VECTORS = """
COPY knowledge_chunkembedding (space_id, chunk_id, vector) FROM STDIN (FORMAT BINARY)
"""
# Signature, flags and length of the extension; the end is a field count of -1.
COPY_HEADER = b"PGCOPY\n\xff\r\n\x00" + bytes(8)
COPY_END = b"\xff\xff"

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Chance:
    """Draws words and vectors; equal seeds draw the same."""

    random: np.random.Generator
    words: Sequence[str]
    cumulative: npt.NDArray[np.float64]
    centres: Floats

    def draw_ranks(self, count: int) -> npt.NDArray[np.int64]:
        """Return ranks of words, from 0, the lower the commoner."""
        ranks = np.searchsorted(self.cumulative, self.random.random(count))
        return np.minimum(ranks, VOCABULARY - 1).astype(np.int64)

    def draw_vectors(self, count: int) -> Floats:
        """Return unit vectors, each near one of the centres."""
        chosen = self.centres[self.random.integers(0, len(self.centres), size=count)]
        noise = self.random.normal(size=chosen.shape).astype(np.float32) * NOISE
        vectors = chosen + noise
        unit: Floats = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        return unit

    def draw_vector(self) -> Vector:
        """Return one such vector."""
        vector: Vector = self.draw_vectors(1)[0]
        return vector


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticCorpus:
    """What can be asked of the corpus that was filled in.

    Loading is writing the rows; building is the indexes, and the counts of words.
    """

    chunk_count: int

    space_id: int
    source_id: int
    entity_id: UUID
    chance: Chance
    load_seconds: float
    build_seconds: float


def make_chance(*, dimensions: int, seed: int) -> Chance:
    """Return what draws words of three syllables and vectors of that width."""
    random = np.random.default_rng(seed)
    syllables = [a + b for a, b in product("bdfgklmnprtvz", "aou")]
    words = ["".join(parts) for parts in product(syllables, repeat=3)][:VOCABULARY]
    random.shuffle(words)
    weights = 1 / np.arange(1, VOCABULARY + 1) ** ZIPF_EXPONENT
    return Chance(
        random=random,
        words=words,
        cumulative=np.cumsum(weights / weights.sum()),
        centres=random.normal(size=(CENTRES, dimensions)).astype(np.float32),
    )


def fill_corpus(
    *,
    chunk_count: int,
    spec: EmbeddingSpec,
    now: datetime,
    chance: Chance,
    advance: Callable[[int], None],
) -> SyntheticCorpus:
    """Store that many passages with vectors and build the indexes as the product does.

    `advance` hears of each passage written, of each with a vector, and of the indexes.
    """
    started = perf_counter()
    space = ensure_space(spec)
    documents = _add_documents(-(-chunk_count // CHUNKS_PER_DOCUMENT), now=now)
    with connection.cursor() as cursor:
        cursor.execute(f"DROP INDEX {space.index_name}")
        for name in TEXT_INDEXES:
            cursor.execute(f"DROP INDEX {name}")
        with cursor.copy(COPY_CHUNKS) as copy:
            for row in _chunk_rows(documents, chunk_count=chunk_count, chance=chance):
                copy.write_row(row)
                advance(1)
        cursor.execute("SELECT id FROM knowledge_chunk ORDER BY id")
        chunk_ids = np.array([chunk_id for (chunk_id,) in cursor.fetchall()])
        with cursor.copy(COPY_VECTORS) as copy:
            copy.write(COPY_HEADER)
            for start in range(0, chunk_count, BATCH):
                batch = chunk_ids[start : start + BATCH]
                copy.write(_vector_rows(batch, space, chance))
                advance(len(batch))
            copy.write(COPY_END)
        loaded = perf_counter()
        cursor.execute(f"SET maintenance_work_mem = '{BUILD_MEMORY}'")
        for building in TEXT_INDEXES.values():
            cursor.execute(building)
        create_index(space)
        advance(chunk_count)
        cursor.execute("VACUUM ANALYZE")
    refresh_term_statistics(force=True)
    warm_search()
    return SyntheticCorpus(
        chunk_count=chunk_count,
        space_id=space.pk,
        source_id=documents[0].source_id,
        entity_id=UUID(int=1),
        chance=chance,
        load_seconds=loaded - started,
        build_seconds=perf_counter() - loaded,
    )


def _add_documents(count: int, *, now: datetime) -> list[Document]:
    sources = [ensure_source(name=f"source {number}") for number in range(SOURCES)]
    return Document.objects.bulk_create(
        [
            Document(
                source=sources[number % SOURCES],
                external_id=str(number),
                fetched_at=now,
                language="english",
                status="ready",
            )
            for number in range(count)
        ],
        batch_size=BATCH,
    )


def _chunk_rows(
    documents: Sequence[Document], *, chunk_count: int, chance: Chance
) -> Iterator[tuple[object, ...]]:
    for number in range(chunk_count):
        document = documents[number // CHUNKS_PER_DOCUMENT]
        ranks = chance.draw_ranks(int(chance.random.integers(*WORDS_PER_CHUNK)))
        words = [chance.words[rank] for rank in ranks.tolist()]
        yield (
            document.pk,
            number % CHUNKS_PER_DOCUMENT,
            " ".join(words),
            "",
            "{}",
            0,
            len(words),
            len(words),
            str(number),
            "",
            _search_vector(words),
            False,
            True,
            document.source_id,
            document.source.source_type_id,
            "english",
            "{everyone}",
            f"{{{UUID(int=number % ENTITIES + 1)}}}",
        )


def _search_vector(words: Sequence[str]) -> str:
    places: dict[str, list[str]] = {}
    for place, word in enumerate(words, start=1):
        places.setdefault(word, []).append(str(place))
    return " ".join(f"{word}:{','.join(found)}" for word, found in places.items())


def _vector_rows(chunk_ids: npt.NDArray[np.int64], space: EmbeddingSpace, chance: Chance) -> bytes:
    """Return rows of COPY's binary format: a field count, then each field after its length."""
    width = space.dimensions
    layout = np.dtype(
        [
            ("fields", ">i2"),
            ("space_length", ">i4"),
            ("space", ">i8"),
            ("chunk_length", ">i4"),
            ("chunk", ">i8"),
            ("vector_length", ">i4"),
            ("dimensions", ">i2"),
            ("unused", ">i2"),
            ("vector", ">f4", (width,)),
        ]
    )
    rows = np.zeros(len(chunk_ids), dtype=layout)
    rows["fields"], rows["space_length"], rows["chunk_length"] = 3, 8, 8
    rows["space"], rows["chunk"] = space.pk, chunk_ids
    rows["vector_length"], rows["dimensions"] = 4 + 4 * width, width
    rows["vector"] = chance.draw_vectors(len(chunk_ids))
    return rows.tobytes()
