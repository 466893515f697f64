"""Passages as they are stored and searched."""

import pytest

from knowledge.embedding.sentence_transformer import WordPieceTokenizer
from knowledge.ingestion.pipeline import Passage
from knowledge.ingestion.store import StoredPassage
from knowledge.ingestion.types import TextChunk
from knowledge.models import Chunk, Document
from knowledge.services.passages import Swap, plan_swap


@pytest.fixture
def real_tokens(shelf):
    """Count tokens as the default model does."""
    shelf.tokenizer = WordPieceTokenizer("all-MiniLM-L6-v2")
    return shelf


def find(words):
    return Chunk.objects.extra(
        where=["search_vector @@ plainto_tsquery('english', %s)"], params=[words]
    )


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"acct-{number:05}:ok;" for number in range(1, 2144)),
        "お客様は商品到着後三十日以内であれば返品を申請できます。" * 400,
    ],
    ids=["ledger", "yakkan"],
)
def test_store_document__text_without_a_space(real_tokens, text):
    """Case B01."""
    outcome = real_tokens.store("ledger.txt", text)

    chunks = list(Chunk.objects.order_by("position"))
    assert outcome.chunk_count == len(chunks) > 1
    assert max(chunk.token_count for chunk in chunks) <= 256
    assert max(map(real_tokens.tokenizer.count, real_tokens.embedder.texts)) <= 256
    assert "".join(chunk.text for chunk in chunks) == text
    body = Document.objects.get().body.text
    assert all(body[chunk.start : chunk.end] == chunk.text for chunk in chunks)


def test_store_document__an_entry_of_a_text_without_a_space_is_found(real_tokens):
    """Case B01."""
    real_tokens.store("ledger.txt", "".join(f"acct-{number:05}:ok;" for number in range(1, 2144)))

    assert any("acct-02143" in chunk.text for chunk in find("acct-02143"))


def test_store_document__a_long_table_keeps_its_header(real_tokens, settings):
    """Case B03."""
    settings.CRMIND_KNOWLEDGE = {
        "EMBEDDING_PROVIDER": "hashing",
        "CHUNK_MAX_TOKENS": 200,
        "CHUNK_TARGET_TOKENS": 200,
    }
    rows = [f"| P-{number:03} | 45 | 899 | 6 |" for number in range(1, 121)]
    header = "| Plan | Seats | Monthly EUR | SLA hours |"
    table = "\n".join([header, "| --- | --- | --- | --- |", *rows])

    real_tokens.store("price_list.md", f"# 2031 price list\n\n{table}\n")

    chunks = list(Chunk.objects.order_by("position"))
    assert len(chunks) > 1
    for row in rows:
        assert [row in chunk.text for chunk in chunks].count(True) == 1
    (chunk,) = find("SLA hours P-097")
    assert "| P-097 | 45 | 899 | 6 |" in chunk.text
    assert header in chunk.prefix
    assert chunk.heading_path == ["2031 price list"]


def passage(position, content_hash):
    chunk = TextChunk(position=position, text="x", start=0, end=1, token_count=1)
    return Passage(
        chunk=chunk, text=content_hash, content_hash=content_hash, search_text="", extra_terms=""
    )


def stored(chunk_id, content_hash, *, has_vector=True):
    return StoredPassage(chunk_id=chunk_id, content_hash=content_hash, has_vector=has_vector)


def test_plan_swap__repeated_text_keeps_its_order():
    new = [passage(0, "b"), passage(1, "a"), passage(2, "a"), passage(3, "c"), passage(4, "a")]

    swap = plan_swap([stored(1, "a"), stored(2, "a", has_vector=False), stored(3, "d")], new)

    assert swap == Swap(
        kept={1: new[1], 2: new[2]},
        unembedded=frozenset({2}),
        removed=(3,),
        added=(new[0], new[3], new[4]),
    )
    assert swap.to_embed == {"a": "a", "b": "b", "c": "c"}


def test_plan_swap__nothing_before_or_after():
    assert plan_swap([], []) == Swap(kept={}, unembedded=frozenset(), removed=(), added=())
    assert plan_swap([stored(1, "a")], []).removed == (1,)
