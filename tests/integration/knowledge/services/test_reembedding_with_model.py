"""Going over to a real sentence-transformers model: a tiny one, made and saved here."""

import pytest

from knowledge.embedding.registry import embedder_of, get_embedder, get_tokenizer
from knowledge.exceptions import EmbeddingError
from knowledge.models import EmbeddingSpace, SpaceStatus
from knowledge.services.reembedding import begin_reembedding, fill_space
from knowledge.services.space_choice import new_choice
from knowledge.services.space_switch import switch_space
from tests.integration.knowledge.conftest import NOW

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "policy", "number", "about", "lanterns"]


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Save a model of one layer and 16 numbers with random weights."""
    import torch  # noqa: PLC0415 # takes seconds
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415 # as above
    from sentence_transformers.sentence_transformer.modules import (  # noqa: PLC0415 # as above
        Pooling,
        Transformer,
    )
    from transformers import BertConfig, BertModel, BertTokenizerFast  # noqa: PLC0415 # as above

    bare = tmp_path_factory.mktemp("bare")
    (bare / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    tokenizer = BertTokenizerFast(vocab=str(bare / "vocab.txt"), model_max_length=64)
    tokenizer.save_pretrained(bare)
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
        initializer_range=0.5,
    )
    BertModel(config).save_pretrained(bare)
    words = Transformer(str(bare), max_seq_length=64)
    folder = tmp_path_factory.mktemp("models") / "tiny-policies"
    SentenceTransformer(modules=[words, Pooling(16)]).save(str(folder))
    return folder


def test_switch_space__to_a_model_in_a_folder(transactional_db, shelf, saved):
    for number in range(3):
        shelf.store(f"{number}.md", f"Policy number {number} about lanterns")
    choice = new_choice(provider="sentence-transformers", model=str(saved))

    space = begin_reembedding(choice)
    fill_space(space, on_progress=lambda _: None)
    switch_space(space=space, now=NOW)

    assert (str(space), space.options["location"]) == ("tiny-policies (16)", str(saved))
    assert EmbeddingSpace.objects.get(status=SpaceStatus.ACTIVE) == space
    assert space.embeddings.count() == 3
    assert get_embedder().embed_query("policy").shape == (16,)
    assert get_tokenizer().name == "tiny-policies"
    stored = space.embeddings.get(chunk__document__external_id="1.md").vector
    (again,) = embedder_of(space).embed_passages(["Policy number 1 about lanterns"])
    assert list(stored) == pytest.approx(list(again), abs=1e-5)


def test_begin_reembedding__a_folder_without_a_model(shelf, tmp_path):
    choice = new_choice(provider="sentence-transformers", model=str(tmp_path))
    with pytest.raises(EmbeddingError, match="cannot be loaded"):
        begin_reembedding(choice)
    assert EmbeddingSpace.objects.count() == 0
