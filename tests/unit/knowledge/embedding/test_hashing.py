import numpy as np
import pytest
from hypothesis import given

from knowledge.embedding.base import EmbeddingSpec
from knowledge.embedding.hashing import HashingEmbedder, RegexTokenizer
from tests.strategies import broken_text
from tests.unit.knowledge.embedding.contract import EmbedderContract


class TestHashingEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self):
        return HashingEmbedder()


def test_hashing_embedder__spec_names_its_width():
    assert HashingEmbedder(dimensions=16).spec == EmbeddingSpec(
        provider="hashing", model="hashed-words-1", dimensions=16, max_tokens=256
    )


def test_hashing_embedder__vector_is_the_same_on_every_machine():
    vector = HashingEmbedder(dimensions=8).embed_query("Dana Lee")

    assert vector.round(3).tolist() == pytest.approx(
        [0.0, 0.676, 0.0, 0.169, -0.676, -0.169, 0.0, 0.169]
    )


def test_hashing_embedder__shared_words_bring_texts_nearer():
    embedder = HashingEmbedder()
    query = embedder.embed_query("the pump leaks oil")
    near, far = embedder.embed_passages(["oil leaks from a pump", "annual price list"])

    assert float(query @ near) > 0.5
    assert float(query @ far) < 0.2


@given(broken_text)
def test_hashing_embedder__any_text_has_a_unit_vector(text):
    vector = HashingEmbedder(dimensions=4).embed_query(text)

    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)


def test_regex_tokenizer__counts_pieces_and_signs():
    text = "KX-4471: replacement"

    assert RegexTokenizer().count(text) == 6
    assert [text[start:end] for start, end in RegexTokenizer().offsets(text)] == [
        "KX",
        "-",
        "4471",
        ":",
        "replacem",
        "ent",
    ]
