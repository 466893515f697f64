"""What is worth scoring."""

from hypothesis import given
from hypothesis import strategies as st

from retrieval.search.candidates import as_tsquery, choose_candidates, quote_lexeme


def test_choose_candidates__rare_terms_alone_while_they_fit():
    frequencies = {"grail": 10, "castl": 300, "knight": 5_000}
    chosen = choose_candidates(frequencies, corpus_size=10_000, budget=400)
    assert chosen == [("grail",), ("castl",)]


def test_choose_candidates__common_terms_together():
    """5,000 x 4,000 / 100,000 = 200 passages hold both."""
    frequencies = {"knight": 5_000, "king": 4_000}
    assert choose_candidates(frequencies, corpus_size=100_000, budget=3_000) == [("king", "knight")]


def test_choose_candidates__wider_conjunctions_where_pairs_are_too_many():
    """Each pair is expected 2,500 times, all three 1,250 times."""
    frequencies = {"a": 5_000, "b": 5_000, "c": 5_000}
    assert choose_candidates(frequencies, corpus_size=10_000, budget=2_000) == [("a", "b", "c")]


def test_choose_candidates__a_conjunction_adds_nothing_to_a_part_of_it():
    frequencies = {"a": 1_000, "b": 1_000, "c": 1_000}
    chosen = choose_candidates(frequencies, corpus_size=10_000, budget=900)
    assert chosen == [("a", "b"), ("a", "c"), ("b", "c")]


def test_choose_candidates__an_unknown_word_does_not_stand_for_the_common_ones():
    frequencies = {"vrolk": 0, "a": 90_000, "b": 95_000, "c": 96_000, "d": 97_000, "e": 98_000}
    chosen = choose_candidates(frequencies, corpus_size=100_000, budget=3_000)
    assert chosen == [("vrolk",), ("a", "b", "c", "d", "e")]


def test_choose_candidates__as_many_common_words_as_it_takes():
    """Five words in half of the passages each: 100,000 / 2^5 = 3,125 hold all."""
    frequencies = dict.fromkeys("abcdef", 50_000)
    chosen = choose_candidates(frequencies, corpus_size=100_000, budget=3_200)
    assert chosen == [("a", "b", "c", "d", "e")]


def test_choose_candidates__a_question_is_never_without_candidates():
    assert choose_candidates({"king": 90_000}, corpus_size=100_000, budget=10) == [("king",)]
    assert choose_candidates({}, corpus_size=100_000, budget=10) == []


@given(
    frequencies=st.dictionaries(st.text("abc", min_size=1), st.integers(0, 10_000), max_size=12),
    budget=st.integers(1, 5_000),
)
def test_choose_candidates__each_conjunction_is_of_the_question_and_new(frequencies, budget):
    chosen = choose_candidates(frequencies, corpus_size=10_000, budget=budget)
    assert bool(chosen) is bool(frequencies)
    assert all(set(group) <= frequencies.keys() for group in chosen)
    sets = [set(group) for group in chosen]
    assert not any(
        wider <= narrower for place, narrower in enumerate(sets) for wider in sets[:place]
    )


def test_quote_lexeme__nothing_is_an_operator():
    assert quote_lexeme("o'neill") == "'o''neill'"
    assert quote_lexeme("a\\b") == "'a\\\\b'"
    assert as_tsquery([("!a",), ("b", "c")]) == "('!a') | ('b' & 'c')"
