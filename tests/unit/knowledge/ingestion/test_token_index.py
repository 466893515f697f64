from hypothesis import given
from hypothesis import strategies as st

from knowledge.embedding.hashing import RegexTokenizer
from knowledge.ingestion.token_index import SLICE_LENGTH, TokenIndex


@given(st.lists(st.integers(1, 9), min_size=1, max_size=40), st.data())
def test_token_index__counts_words_of_any_stretch(lengths, data):
    text = " ".join("x" * length for length in lengths)
    tokens = TokenIndex(text, RegexTokenizer())
    first = data.draw(st.integers(0, len(lengths) - 1))
    start = sum(length + 1 for length in lengths[:first])

    count = RegexTokenizer().count(text[start:])
    assert tokens.count(start, len(text)) == count
    assert tokens.end_of(start, count, limit=len(text)) == len(text)
    assert tokens.start_before(len(text), count) == start


def test_token_index__text_of_many_slices():
    text = "word " * SLICE_LENGTH
    tokens = TokenIndex(text, RegexTokenizer())

    assert tokens.count(0, len(text)) == SLICE_LENGTH
    assert tokens.before_each([0, 5, len(text)]) == [0, 1, SLICE_LENGTH]
    assert tokens.end_of(0, 3, limit=len(text)) == 15
    assert tokens.end_of(0, 3, limit=12) == 12
