"""Reranking by a cross-encoder: a tiny one, made and saved here, loaded as any other."""

import pytest

from knowledge.embedding.cross_encoder import CrossEncoderReranker
from knowledge.exceptions import EmbeddingError

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "where", "is", "the", "grail", "rabbit"]
PASSAGES = ["the grail is", "the rabbit", "rabbit rabbit rabbit"]


def save_cross_encoder(folder, *, outputs=1):
    """Save a cross-encoder of one layer with random weights that stay the same."""
    import torch  # noqa: PLC0415 # takes seconds
    from transformers import (  # noqa: PLC0415 # as above
        BertConfig,
        BertForSequenceClassification,
        BertTokenizerFast,
    )

    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    tokenizer = BertTokenizerFast(vocab=str(folder / "vocab.txt"), model_max_length=64)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
        initializer_range=0.5,
        num_labels=outputs,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return save_cross_encoder(tmp_path_factory.mktemp("tiny"))


def test_score__the_same_for_the_same_and_within_bounds(saved):
    reranker = CrossEncoderReranker(saved, batch_size=2)
    scores = reranker.score("where is the grail", PASSAGES)
    assert len(scores) == 3
    assert all(0 < score < 1 for score in scores)
    assert len(set(scores)) == 3
    assert reranker.score("where is the grail", PASSAGES) == scores
    turned = CrossEncoderReranker(saved).score("where is the grail", PASSAGES[::-1])
    assert turned == pytest.approx(scores[::-1], abs=1e-6)


def test_score__the_question_counts(saved):
    reranker = CrossEncoderReranker(saved)
    assert reranker.score("rabbit", PASSAGES) != reranker.score("grail", PASSAGES)


def test_score__nothing_for_nothing(tmp_path):
    assert CrossEncoderReranker(tmp_path / "none").score("grail", []) == []


@pytest.mark.parametrize("text", ["", "grail " * 500, "\ud800 half", "聖杯はどこ"])
def test_score__awkward_texts(saved, text):
    (score,) = CrossEncoderReranker(saved).score(text, [text])
    assert 0 < score < 1


def test_score__a_folder_without_a_model(tmp_path):
    with pytest.raises(EmbeddingError, match="cannot be loaded"):
        CrossEncoderReranker(tmp_path).score("grail", PASSAGES)


def test_score__a_model_that_classifies_is_refused(tmp_path):
    with pytest.raises(EmbeddingError, match=r"has 3 outputs; one that scores has 1\."):
        CrossEncoderReranker(save_cross_encoder(tmp_path, outputs=3)).score("grail", PASSAGES)
