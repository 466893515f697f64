import multiprocessing
import sqlite3

import numpy as np
import pytest

from knowledge.embedding.cached import BATCH_SIZE, StoredVectorEmbedder
from knowledge.embedding.hashing import HashingEmbedder
from knowledge.exceptions import EmbeddingError, InvalidVectorError
from tests.unit.knowledge.embedding.contract import EmbedderContract


class TestStoredVectorEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self, tmp_path):
        return StoredVectorEmbedder(HashingEmbedder(), tmp_path / "vectors.sqlite3")


class FailingEmbedder(HashingEmbedder):
    def embed_passages(self, texts):
        if "fail" in texts:
            raise EmbeddingError
        return super().embed_passages(texts)


class ZeroEmbedder(HashingEmbedder):
    def embed_passages(self, texts):
        return [np.zeros(self.spec.dimensions, dtype=np.float32) for _ in texts]


def test_stored_vector_embedder__second_run_embeds_nothing(tmp_path):
    texts = ["one", "two", "one"]
    first = StoredVectorEmbedder(HashingEmbedder(), tmp_path / "new" / "vectors.sqlite3")
    vectors = [*first.embed_passages(texts), first.embed_query("one")]
    second = StoredVectorEmbedder(HashingEmbedder(), tmp_path / "new" / "vectors.sqlite3")

    again = [*second.embed_passages(texts), second.embed_query("one")]

    assert (first.embedded_count, second.embedded_count) == (3, 0)
    assert np.array_equal(vectors, again)


def test_stored_vector_embedder__models_do_not_share_vectors(tmp_path):
    path = tmp_path / "vectors.sqlite3"
    StoredVectorEmbedder(HashingEmbedder(dimensions=8), path).embed_passages(["one"])
    other = StoredVectorEmbedder(HashingEmbedder(dimensions=16), path)

    (vector,) = other.embed_passages(["one"])

    assert (other.embedded_count, vector.shape) == (1, (16,))


def test_stored_vector_embedder__interrupted_run_keeps_whole_batches(tmp_path):
    path = tmp_path / "vectors.sqlite3"
    texts = [f"text {number}" for number in range(BATCH_SIZE)]
    with pytest.raises(EmbeddingError):
        StoredVectorEmbedder(FailingEmbedder(), path).embed_passages([*texts, "fail"])
    again = StoredVectorEmbedder(HashingEmbedder(), path)

    again.embed_passages([*texts, "fail"])

    assert again.embedded_count == 1


def test_stored_vector_embedder__refuses_what_cannot_be_compared(tmp_path):
    path = tmp_path / "vectors.sqlite3"

    with pytest.raises(InvalidVectorError, match="vector 0 of hashed-words-1 is zero"):
        StoredVectorEmbedder(ZeroEmbedder(), path).embed_passages(["one"])

    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM vectors").fetchone() == (0,)
    connection.close()


def embed_range(path, first):
    embedder = StoredVectorEmbedder(HashingEmbedder(), path)
    for number in range(first, first + 40):
        embedder.embed_passages([f"text {number}"])


def test_stored_vector_embedder__several_processes_write_one_file(tmp_path):
    path = tmp_path / "vectors.sqlite3"
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=embed_range, args=(path, first)) for first in (0, 20, 40)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(timeout=60)
    embedder = StoredVectorEmbedder(HashingEmbedder(), path)

    embedder.embed_passages([f"text {number}" for number in range(80)])

    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert embedder.embedded_count == 0
