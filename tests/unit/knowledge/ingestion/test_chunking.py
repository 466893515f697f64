import time
from itertools import pairwise

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from knowledge.embedding.hashing import RegexTokenizer
from knowledge.embedding.sentence_transformer import WordPieceTokenizer
from knowledge.exceptions import ChunkingError
from knowledge.ingestion.chunking import ChunkingSettings, split_into_chunks
from knowledge.ingestion.passages import passage_text
from tests.strategies import broken_text, document_text

WORD_PIECES = WordPieceTokenizer()
LEDGER = "".join(f"acct-{number:05}:ok;" for number in range(1, 2144))
YAKKAN = "お客様は商品到着後三十日以内であれば返品を申請できます。" * 400
PRICE_LIST = (
    "# 2031 price list\n\n"
    "| Plan | Seats | Monthly EUR | SLA hours |\n"
    "|------|-------|-------------|-----------|\n"
) + "".join(
    f"| P-{number:03} | {number % 50} | {number * 9 + 26} | {number % 9} |\n"
    for number in range(1, 121)
)


def split(text, *, title="", tokenizer=WORD_PIECES, **sizes):
    return split_into_chunks(
        text, title=title, tokenizer=tokenizer, settings=ChunkingSettings(**sizes)
    )


def passage(chunk, *, title="", max_tokens=256):
    return passage_text(
        title=title,
        heading_path=chunk.heading_path,
        prefix=chunk.prefix,
        text=chunk.text,
        max_tokens=max_tokens,
    )


@pytest.mark.parametrize(("text", "title"), [(LEDGER, "ledger.txt"), (YAKKAN, "yakkan.txt")])
def test_split_into_chunks__text_without_spaces(text, title):
    started = time.process_time()

    chunks = split(text, title=title)

    assert time.process_time() - started < 2.0
    assert "".join(chunk.text for chunk in chunks) == text
    assert all(WORD_PIECES.count(passage(chunk, title=title)) <= 256 for chunk in chunks)
    assert all(chunk.text.endswith((";", "。")) for chunk in chunks)


def test_split_into_chunks__long_table_repeats_its_header():
    chunks = split(PRICE_LIST, title="price_list.md", max_tokens=200)
    rows = PRICE_LIST.splitlines()[4:]

    assert all(sum(row in chunk.text.splitlines() for chunk in chunks) == 1 for row in rows)
    holder = next(chunk for chunk in chunks if "P-097" in chunk.text)
    assert holder.prefix == "| Plan | Seats | Monthly EUR | SLA hours |"
    assert holder.heading_path == ("2031 price list",)
    assert passage(holder, title="price_list.md", max_tokens=200).startswith(
        "price_list.md\n2031 price list\n| Plan | Seats | Monthly EUR | SLA hours |\n| P-"
    )
    assert chunks[0].prefix == ""
    assert all(chunk.token_count <= 200 for chunk in chunks)


def test_split_into_chunks__only_a_row_longer_than_a_chunk_is_cut():
    wide = f"| P-2 | {'many words ' * 200}|"
    text = f"| Plan | Note |\n|---|---|\n| P-1 | short |\n{wide}\n| P-3 | short |\n"

    chunks = split(text)

    assert len(chunks) > 2
    assert any("| P-1 | short |" in chunk.text for chunk in chunks)
    assert any("| P-3 | short |" in chunk.text for chunk in chunks)
    assert all(chunk.prefix == "| Plan | Note |" for chunk in chunks[1:])


def test_split_into_chunks__short_text_is_one_chunk():
    text = "# Plans\n\nAll plans.\n\n## Gold\n\nFast.\n"
    (chunk,) = split(text, title="Plans")

    assert (chunk.start, chunk.end, chunk.text) == (0, len(text) - 1, text[:-1])
    assert (chunk.position, chunk.heading_path, chunk.prefix) == (0, ("Plans",), "")
    assert chunk.token_count == WORD_PIECES.count(text)


@pytest.mark.parametrize("text", ["", " \n\t", "\u3000"])
def test_split_into_chunks__blank_text(text):
    assert split(text, title="Title") == []


def test_split_into_chunks__sections_keep_their_heading_path():
    body = "The plan answers within a day and costs what the contract says. " * 12
    text = f"# Plans\n\n## Gold\n\n{body}\n\n## Silver\n\n{body}\n"

    chunks = split(text)

    assert [chunk.heading_path for chunk in chunks] == [("Plans", "Gold"), ("Plans", "Silver")]
    assert chunks[0].text.startswith("# Plans\n\n## Gold\n\nThe plan")


def test_split_into_chunks__small_sections_under_one_heading_are_joined():
    terms = "".join(f"## Term {number}\n\nIt means {number}.\n\n" for number in range(60))
    body = "The plan answers within a day and costs what the contract says. " * 12

    chunks = split(f"# Glossary\n\n{terms}# Plans\n\n{body}")

    assert len(chunks) < 10
    assert {chunk.heading_path for chunk in chunks} == {("Glossary",), ("Plans",)}
    # What is left over at the end of the glossary may be small.
    assert sum(chunk.token_count < 100 for chunk in chunks) <= 1


def test_split_into_chunks__no_tiny_rest():
    text = "The plan answers within a day and costs what the contract says. " * 17
    counts = [chunk.token_count for chunk in split(text)]

    assert len(counts) == 2
    assert min(counts) > 80


def test_split_into_chunks__overlap_repeats_whole_words():
    text = " ".join(f"word{number}" for number in range(900))
    chunks = split(text, overlap_tokens=30)

    assert all(chunk.text == text[chunk.start : chunk.end] for chunk in chunks)
    for before, after in pairwise(chunks):
        shared = text[after.start : before.end]
        assert 1 <= WORD_PIECES.count(shared) - 2 <= 30
        assert shared.startswith("word")


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"max_tokens": 15}, "max_tokens: 15 is too small; at least 16"),
        ({"target_tokens": 0}, "target_tokens: 0 is not a size"),
        (
            {"overlap_tokens": 220},
            "overlap_tokens: 220 must be at least 0 and less than the size of a chunk, 220",
        ),
        (
            {"max_tokens": 100, "overlap_tokens": 150},
            "overlap_tokens: 150 must be at least 0 and less than the size of a chunk, 100",
        ),
        (
            {"overlap_tokens": -1},
            "overlap_tokens: -1 must be at least 0 and less than the size of a chunk, 220",
        ),
    ],
)
def test_chunking_settings__contradictions(sizes, message):
    with pytest.raises(ChunkingError) as raised:
        ChunkingSettings(**sizes)

    assert raised.value.message == message


@settings(deadline=None)
@given(
    text=document_text | broken_text,
    title=st.sampled_from(["", "Plans", "A long title of many words " * 20, "長い題名" * 40]),
    max_tokens=st.integers(16, 300),
    target_share=st.floats(0.1, 1.0),
    overlap_share=st.sampled_from([0.0, 0.2, 0.9]),
    tokenizer=st.sampled_from([WORD_PIECES, RegexTokenizer()]),
)
@example(
    text="👩‍👩‍👧‍👦" * 50 + "e" + "\u0301" * 90,
    title="",
    max_tokens=16,
    target_share=1.0,
    overlap_share=0.0,
    tokenizer=RegexTokenizer(),
)
def test_split_into_chunks__any_text(
    text, title, max_tokens, target_share, overlap_share, tokenizer
):
    target_tokens = max(1, int(max_tokens * target_share))
    overlap_tokens = int(target_tokens * overlap_share)
    chunks = split(
        text,
        title=title,
        tokenizer=tokenizer,
        max_tokens=max_tokens,
        target_tokens=target_tokens,
        overlap_tokens=overlap_tokens,
    )

    assert [chunk.position for chunk in chunks] == list(range(len(chunks)))
    end = 0
    start = -1
    for chunk in chunks:
        assert chunk.text == text[chunk.start : chunk.end]
        assert chunk.text.strip()
        embedded = passage(chunk, title=title, max_tokens=max_tokens)
        assert tokenizer.count(embedded) == chunk.token_count <= max_tokens
        assert not text[end : chunk.start].strip()
        assert chunk.start > start
        assert overlap_tokens or chunk.start >= end
        start, end = chunk.start, chunk.end
    assert not text[end:].strip()


@settings(deadline=None)
@given(text=document_text, max_tokens=st.integers(40, 300))
def test_split_into_chunks__cuts_no_user_perceived_character(text, max_tokens):
    boundaries = {match.start() for match in regex.finditer(r"\X", text)} | {len(text)}

    for chunk in split(text, max_tokens=max_tokens):
        assert {chunk.start, chunk.end} <= boundaries


@pytest.mark.parametrize(
    "megabyte",
    [
        "a" * 1_000_000,
        "word " * 200_000,
        "# h\n" * 250_000,
        "| a | b |\n" * 100_000,
        " " * 999_999 + "a",
        "line of log 12345.\n" * 52_000,
    ],
    ids=["one word", "words", "headings", "rows", "blank", "lines"],
)
def test_split_into_chunks__takes_linear_time(megabyte):
    started = time.process_time()

    chunks = split(megabyte, tokenizer=RegexTokenizer())

    assert time.process_time() - started < 4.0
    assert chunks[-1].end == len(megabyte.rstrip())
