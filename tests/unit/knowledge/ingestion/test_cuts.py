import pytest

from knowledge.embedding.hashing import RegexTokenizer
from knowledge.ingestion.cuts import cut_evenly, overlap_start, trimmed
from knowledge.ingestion.token_index import TokenIndex


def parts(text, *, max_tokens, max_characters=1000):
    spans = cut_evenly(
        text,
        (0, len(text)),
        tokens=TokenIndex(text, RegexTokenizer()),
        max_tokens=max_tokens,
        max_characters=max_characters,
    )
    return [text[start:end] for start, end in spans]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one two three four five six", ["one two three ", "four five six"]),
        ("one two three, four five six", ["one two three, ", "four five six"]),
        ("k1;k2;k3;k4;", ["k1;k2;", "k3;k4;"]),
        ("e\u0301" * 4, ["e\u0301" * 2, "e\u0301" * 2]),
    ],
)
def test_cut_evenly__best_place_near_the_middle(text, expected):
    assert parts(text, max_tokens=5) == expected


def test_cut_evenly__unknown_long_word_is_cut_by_length():
    assert parts("a" * 25, max_tokens=100, max_characters=10) == ["a" * 8, "a" * 8, "a" * 9]


def test_trimmed__leaves_a_space_that_carries_a_mark():
    text = "  \u0301a  "

    assert trimmed(text, 0, len(text)) == (1, 4)
    assert trimmed("   ", 0, 3) == (0, 0)


def test_overlap_start__begins_at_a_word():
    text = "one two three four"

    assert text[overlap_start(text, 14, earliest=2) :] == "two three four"
    assert overlap_start(text, 14, earliest=9) == 14
