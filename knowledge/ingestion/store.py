"""Reads and writes the rows of chunks and vectors, many in one statement."""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection

from knowledge.embedding.base import Vector
from knowledge.ingestion.passages import passage_text
from knowledge.ingestion.pipeline import Passage
from knowledge.ingestion.sql import statement


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPassage:
    """A chunk as the database has it; `has_vector` tells of the space that was asked for."""

    chunk_id: int
    content_hash: str
    has_vector: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingVector:
    """A chunk that has no vector in a space, with the text to make it of."""

    chunk_id: int
    content_hash: str
    text: str


# One letter changed within a word of seven leaves half of its trigrams; less costs much more.
LEAST_WORD_SIMILARITY = 0.45
LEAST_SIMILARITY = 0.3
MOST_SIMILAR_NAMES = 10
MOST_SIMILAR_ENTITIES = 300
LEAST_TITLE_SIMILARITY = 0.4
MOST_SIMILAR_TITLES = 300


def lock_documents(source_id: int, external_ids: Iterable[str]) -> None:
    """Wait for documents, existing or to be, until the transaction ends; in one order for all."""
    keys = sorted({_lock_key(source_id, external_id) for external_id in external_ids})
    for key in keys:
        _execute("lock_document", {"key": key})


def read_passages(
    document_ids: Sequence[int], *, space_id: int
) -> dict[int, tuple[StoredPassage, ...]]:
    """Return the chunks of each document, in order."""
    passages: dict[int, list[StoredPassage]] = {document_id: [] for document_id in document_ids}
    if not passages:
        return {}
    parameters = {"document_ids": list(document_ids), "space_id": space_id}
    for document_id, chunk_id, content_hash, has_vector in _rows("read_passages", parameters):
        passages[document_id].append(
            StoredPassage(chunk_id=chunk_id, content_hash=content_hash, has_vector=has_vector)
        )
    return {document_id: tuple(found) for document_id, found in passages.items()}


def find_unembedded(document_ids: Sequence[int], *, space_id: int | None) -> frozenset[int]:
    """Return which documents have a chunk without a vector in the space."""
    if not document_ids:
        return frozenset()
    parameters = {"document_ids": list(document_ids), "space_id": space_id}
    return frozenset(document_id for (document_id,) in _rows("find_unembedded", parameters))


def insert_chunks(document_id: int, passages: Sequence[Passage]) -> dict[int, int]:
    """Add chunks to a document whose row and entities are up to date; return ids by position."""
    if not passages:
        return {}
    rows = _rows(
        "insert_chunks",
        {
            "document_id": document_id,
            "passages": json.dumps([_columns(passage) for passage in passages]),
        },
    )
    return {position: chunk_id for chunk_id, position in rows}


def update_chunks(document_id: int, passages: Mapping[int, Passage]) -> None:
    """Move chunks, by id, whose passage stayed the same."""
    if passages:
        columns = [{"id": key, **_columns(passage)} for key, passage in passages.items()]
        _execute("update_chunks", {"document_id": document_id, "passages": json.dumps(columns)})


def insert_vectors(vectors: Mapping[int, Vector], *, space_id: int) -> None:
    """Store vectors by chunk id."""
    if vectors:
        _execute(
            "insert_vectors",
            {
                "space_id": space_id,
                "chunk_ids": list(vectors),
                "vectors": [_vector_literal(vector) for vector in vectors.values()],
            },
        )


def find_missing(space_id: int, *, after: int, limit: int, max_tokens: int) -> list[MissingVector]:
    """Return the next chunks, by id, without a vector in the space."""
    rows = _rows("find_missing", {"space_id": space_id, "after": after, "limit": limit})
    return [
        MissingVector(
            chunk_id=chunk_id,
            content_hash=content_hash,
            text=passage_text(
                title=title,
                heading_path=heading_path,
                prefix=prefix,
                text=text,
                max_tokens=max_tokens,
            ),
        )
        for chunk_id, title, heading_path, prefix, text, content_hash in rows
    ]


def fill_vectors(
    missing: Sequence[MissingVector], vectors: Sequence[Vector], *, space_id: int
) -> int:
    """Store vectors of chunks that did not change meanwhile; return how many."""
    parameters = {
        "space_id": space_id,
        "chunk_ids": [each.chunk_id for each in missing],
        "hashes": [each.content_hash for each in missing],
        "vectors": [_vector_literal(vector) for vector in vectors],
    }
    return _execute("fill_vectors", parameters)


def delete_chunks(chunk_ids: Sequence[int]) -> None:
    """Remove chunks with their vectors."""
    if chunk_ids:
        _execute("delete_chunks", {"chunk_ids": list(chunk_ids)})


def delete_source_chunks(*, source_id: int) -> None:
    """Remove every chunk of a source with its vectors."""
    _execute("delete_source_chunks", {"source_id": source_id})


def refresh_filters(
    *, source_id: int | None = None, document_ids: Sequence[int] | None = None
) -> int:
    """Copy what search filters by to the chunks of a source or of documents; return how many."""
    parameters = {
        "source_id": source_id,
        "document_ids": None if document_ids is None else list(document_ids),
    }
    return _execute("refresh_filters", parameters)


def find_entities(names: Sequence[str]) -> list[tuple[str, UUID]]:
    """Return the entities that names fit best, as (name, entity id)."""
    return _rows("find_entities", {"names": list(names)}) if names else []


def recognise_entities(
    *, names: Collection[str], domains: Collection[str]
) -> list[tuple[str, UUID]]:
    """Return the entities of names and domains, as (name or domain, entity id)."""
    if not names and not domains:
        return []
    return _rows("recognise_entities", {"names": list(names), "domains": list(domains)})


def find_similar_entities(words_by_name: Mapping[str, str]) -> list[tuple[str, str, UUID]]:
    """Return the names of entities nearly like each name, as (asked, name, entity id).

    The most similar come first. Only names that hold something like the word of the name asked are
    compared. Has to run within a transaction.
    """
    parameters = {
        "names": list(words_by_name),
        "words": list(words_by_name.values()),
        "least": LEAST_SIMILARITY,
        "most": MOST_SIMILAR_NAMES,
        "most_entities": MOST_SIMILAR_ENTITIES,
    }
    _rows("name_similarity", {"least": LEAST_WORD_SIMILARITY})
    return _rows("find_similar_entities", parameters)


def find_similar_titles(
    words: Sequence[str], *, readable_with: Collection[str]
) -> list[tuple[str, str]]:
    """Return titles that hold something like each word, as (word, title).

    Has to run within a transaction.
    """
    _rows("name_similarity", {"least": LEAST_TITLE_SIMILARITY})
    return _rows(
        "find_similar_titles",
        {"words": list(words), "readable_with": list(readable_with), "most": MOST_SIMILAR_TITLES},
    )


def find_unused_words(words: Sequence[str]) -> list[str]:
    """Return the words that no chunk holds, as far as words were counted."""
    return [word for (word,) in _rows("find_unused_words", {"words": list(words)})]


def _columns(passage: Passage) -> dict[str, Any]:
    chunk = passage.chunk
    return {
        "position": chunk.position,
        "text": chunk.text,
        "prefix": chunk.prefix,
        "heading_path": list(chunk.heading_path),
        "start": chunk.start,
        "end": chunk.end,
        "token_count": chunk.token_count,
        "content_hash": passage.content_hash,
        "extra_terms": passage.extra_terms,
        "search_text": passage.search_text,
    }


def _vector_literal(vector: Vector) -> str:
    return f"[{','.join(map(repr, np.asarray(vector, dtype=np.float32).tolist()))}]"


def _lock_key(source_id: int, external_id: str) -> int:
    digest = hashlib.sha256(f"{source_id}:{external_id}".encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


def _execute(name: str, parameters: dict[str, Any]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement(name), parameters)
        return int(cursor.rowcount)


def _rows(name: str, parameters: dict[str, Any]) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement(name), parameters)
        return list(cursor.fetchall())
