import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from knowledge.embedding.base import EmbeddingSpec
from knowledge.embedding.sentence_transformer import (
    SentenceTransformerEmbedder,
    WordPieceTokenizer,
    model_location,
)
from knowledge.exceptions import EmbeddingError
from tests.unit.knowledge.embedding.contract import EmbedderContract


@pytest.mark.acceptance
class TestSentenceTransformerEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self):
        return SentenceTransformerEmbedder()

    def test_embed_query__meaning_counts_more_than_words(self, embedder):
        query = embedder.embed_query("How do I cancel my contract?")
        near, far = embedder.embed_passages(
            ["Termination takes effect at the end of the month.", "How do I contact my doctor?"]
        )

        assert float(query @ near) > float(query @ far)

    def test_embed_passages__several_threads_share_one_model(self, embedder):
        texts = [f"text {number}" for number in range(12)]
        together = embedder.embed_passages(texts)

        with ThreadPoolExecutor(max_workers=4) as pool:
            apart = list(
                pool.map(lambda text: SentenceTransformerEmbedder().embed_query(text), texts)
            )

        for one, other in zip(together, apart, strict=True):
            assert float(one @ other) == pytest.approx(1.0, abs=1e-4)

    def test_spec__of_a_folder_is_its_name_and_what_the_model_says(self):
        embedder = SentenceTransformerEmbedder(model_location("all-MiniLM-L6-v2"))

        assert embedder.spec == EmbeddingSpec(
            provider="sentence-transformers", model="model", dimensions=384, max_tokens=256
        )

    def test_embed_query__model_that_is_not_there(self, tmp_path):
        with pytest.raises(EmbeddingError, match=r"embedding model .* cannot be loaded"):
            SentenceTransformerEmbedder(tmp_path).embed_query("a")


def test_sentence_transformer_embedder__packaged_model_is_known_without_loading_it():
    script = (
        "import sys\n"
        "from knowledge.embedding.sentence_transformer import *\n"
        "print(SentenceTransformerEmbedder().spec)\n"
        "print(WordPieceTokenizer().count('pump'))\n"
        "print('torch' in sys.modules, 'sentence_transformers' in sys.modules)\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert run.stdout.splitlines() == [
        (
            "EmbeddingSpec(provider='sentence-transformers', model='all-MiniLM-L6-v2',"
            " dimensions=384, max_tokens=256)"
        ),
        "3",
        "False False",
    ]


def test_word_piece_tokenizer__counts_beyond_the_limit_of_the_model():
    assert WordPieceTokenizer().count("pump " * 1_000) == 1_002
    assert WordPieceTokenizer().count("") == 2


def test_word_piece_tokenizer__offsets_are_characters():
    text = "Zoë 返品 pumps"

    assert [text[start:end] for start, end in WordPieceTokenizer().offsets(text)] == [
        "Zoë",
        "返",
        "品",
        "pumps",
    ]


def test_word_piece_tokenizer__broken_character():
    assert WordPieceTokenizer().offsets("a \ud800")[0] == (0, 1)


def test_word_piece_tokenizer__several_threads():
    tokenizer = WordPieceTokenizer()

    with ThreadPoolExecutor(max_workers=4) as pool:
        counts = list(pool.map(tokenizer.count, ["pump " * n for n in range(1, 200)]))

    assert counts == [n + 2 for n in range(1, 200)]


def test_word_piece_tokenizer__model_that_is_not_there(tmp_path):
    with pytest.raises(EmbeddingError, match=r"tokenizer of .* cannot be loaded"):
        WordPieceTokenizer(tmp_path).count("a")
