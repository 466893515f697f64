"""Keeps vectors in a file, so that the same text is embedded once."""

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path

import numpy as np

from knowledge.embedding.base import Embedder, EmbeddingSpec, Vector
from knowledge.embedding.vectors import check_vectors

BATCH_SIZE = 256
BUSY_TIMEOUT_SECONDS = 60.0


class StoredVectorEmbedder:
    """Embeds through another embedder what the file at `path` does not hold yet.

    Several processes may share the file. New vectors are written after each batch, so that an
    interrupted run loses one batch at most. `embedded_count` counts the texts the other embedder
    was asked for.
    """

    def __init__(self, embedder: Embedder, path: Path) -> None:
        self._embedder = embedder
        self._path = path
        self.embedded_count = 0
        path.parent.mkdir(parents=True, exist_ok=True)
        with self._connection() as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS vectors"
                " (key BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID"
            )

    @property
    def spec(self) -> EmbeddingSpec:
        return self._embedder.spec

    def load(self) -> None:
        """Do nothing: the model is loaded for the first text that is missing."""

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return self._embed("passage", texts, self._embedder.embed_passages)

    def embed_query(self, text: str) -> Vector:
        return self.embed_queries([text])[0]

    def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per question, in order, each embedded as a question is."""

        def embed(missing: Sequence[str]) -> list[Vector]:
            return [self._embedder.embed_query(text) for text in missing]

        return self._embed("query", texts, embed)

    def _embed(
        self, kind: str, texts: Sequence[str], embed: Callable[[Sequence[str]], list[Vector]]
    ) -> list[Vector]:
        keys = [self._key(kind, text) for text in texts]
        text_by_key = dict(zip(keys, texts, strict=True))
        with self._connection() as connection:
            vector_by_key = self._stored(connection, text_by_key)
            missing = iter([key for key in text_by_key if key not in vector_by_key])
            while batch := list(islice(missing, BATCH_SIZE)):
                vectors = embed([text_by_key[key] for key in batch])
                vectors = check_vectors(vectors, self.spec, count=len(batch))
                self.embedded_count += len(batch)
                vector_by_key.update(zip(batch, vectors, strict=True))
                self._store(connection, zip(batch, vectors, strict=True))
        return [vector_by_key[key] for key in keys]

    def _key(self, kind: str, text: str) -> bytes:
        spec = self.spec
        identity = "\0".join([spec.provider, spec.model, str(spec.dimensions), kind, text])
        return hashlib.sha256(identity.encode("utf-8", "surrogatepass")).digest()

    def _stored(self, connection: sqlite3.Connection, keys: Iterable[bytes]) -> dict[bytes, Vector]:
        stored: dict[bytes, Vector] = {}
        remaining = iter(keys)
        while batch := list(islice(remaining, BATCH_SIZE)):
            marks = ", ".join("?" * len(batch))
            statement = f"SELECT key, vector FROM vectors WHERE key IN ({marks})"  # noqa: S608 - marks only
            for key, numbers in connection.execute(statement, batch):
                if len(numbers) == self.spec.dimensions * np.dtype(np.float32).itemsize:
                    stored[key] = np.frombuffer(numbers, dtype=np.float32)
        return stored

    def _store(
        self, connection: sqlite3.Connection, vectors: Iterable[tuple[bytes, Vector]]
    ) -> None:
        with connection:
            connection.executemany(
                "INSERT OR REPLACE INTO vectors (key, vector) VALUES (?, ?)",
                [(key, vector.tobytes()) for key, vector in vectors],
            )

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._path, timeout=BUSY_TIMEOUT_SECONDS)) as connection:
            yield connection
