"""What is worth scoring."""

from hypothesis import given
from hypothesis import strategies as st

from retrieval.search.candidates import (
    Candidates,
    Counts,
    as_tsquery,
    choose_candidates,
    quote_lexeme,
)


def choose(held, *, repeated=None, corpus_size, budget):
    """Choose where, unless it is said otherwise, every passage repeats its words."""
    counts = Counts(corpus_size=corpus_size, held=held, repeated=repeated or held)
    return choose_candidates(counts, budget=budget)


def test_choose_candidates__rare_terms_alone_while_they_fit_a_quarter():
    frequencies = {"grail": 10, "castl": 300, "knight": 5_000}
    chosen = choose(frequencies, corpus_size=10_000, budget=1_240)
    assert chosen == Candidates(held=(("grail",), ("castl",)))


def test_choose_candidates__common_terms_together():
    """5,000 x 4,000 / 100,000 = 200 passages hold both, and 800 may: the rest is a quarter left."""
    frequencies = {"knight": 5_000, "king": 4_000}
    chosen = choose(frequencies, corpus_size=100_000, budget=3_200)
    assert chosen.held == (("king", "knight"),)


def test_choose_candidates__wider_conjunctions_where_pairs_are_too_many():
    """Each pair is expected 2,500 times, all three 1,250 times."""
    frequencies = {"a": 5_000, "b": 5_000, "c": 5_000}
    chosen = choose(frequencies, corpus_size=10_000, budget=8_000)
    assert chosen.held == (("a", "b", "c"),)


def test_choose_candidates__a_conjunction_adds_nothing_to_a_part_of_it():
    frequencies = {"a": 1_000, "b": 1_000, "c": 1_000}
    chosen = choose(frequencies, corpus_size=10_000, budget=1_200)
    assert chosen.held == (("a", "b"), ("a", "c"), ("b", "c"))


def test_choose_candidates__passages_that_repeat_what_too_many_hold():
    """Of 1,000,000 passages 10,000 x 20,000 / 1,000,000 = 200 repeat both."""
    chosen = choose(
        {"king": 200_000, "knight": 300_000},
        repeated={"king": 10_000, "knight": 20_000},
        corpus_size=1_000_000,
        budget=3_000,
    )
    assert chosen == Candidates(repeated=(("king", "knight"),))


def test_choose_candidates__one_word_that_is_repeated_often_enough():
    chosen = choose(
        {"king": 200_000, "knight": 300_000},
        repeated={"king": 1_500, "knight": 2_500},
        corpus_size=1_000_000,
        budget=3_000,
    )
    assert chosen == Candidates(repeated=(("king",),))


def test_choose_candidates__what_rare_words_take_is_not_left_for_repetitions():
    """900 of the 1,000 passages that may hold words are found: a tenth of 4,000 is left."""
    chosen = choose(
        {"grail": 900, "king": 200_000},
        repeated={"grail": 900, "king": 401},
        corpus_size=1_000_000,
        budget=4_000,
    )
    assert chosen == Candidates(held=(("grail",),))


def test_choose_candidates__common_words_that_nobody_repeats_as_many_as_it_takes():
    """Five words in half of the passages each: 100,000 / 2^5 = 3,125 hold all."""
    frequencies = dict.fromkeys("abcdef", 50_000)
    chosen = choose(
        frequencies, repeated=dict.fromkeys("abcdef", 0), corpus_size=100_000, budget=3_200
    )
    assert chosen.held == (("a", "b", "c", "d", "e"),)


def test_choose_candidates__an_unknown_word_does_not_stand_for_the_common_ones():
    frequencies = {"vrolk": 0, "a": 90_000, "b": 95_000}
    chosen = choose(frequencies, corpus_size=100_000, budget=3_000)
    assert chosen == Candidates(held=(("vrolk",),), repeated=(("a", "b"),))


def test_choose_candidates__a_question_is_never_without_candidates():
    alone = choose({"king": 90_000}, corpus_size=100_000, budget=10)
    assert alone == Candidates(repeated=(("king",),))
    assert choose({}, corpus_size=100_000, budget=10) == Candidates()


def test_choose_candidates__more_than_wanted_repeat_all_words():
    """900 of 1,000 hold each word and 600 repeat it: 360 repeat both, and 100 are wanted."""
    both = {"king": 900, "knight": 900}
    chosen = choose(both, repeated=dict.fromkeys(both, 600), corpus_size=1_000, budget=100)
    assert chosen == Candidates(repeated=(("king", "knight"),))


@given(
    held=st.dictionaries(st.text("abc", min_size=1), st.integers(0, 10_000), max_size=12),
    share=st.floats(0, 1),
    budget=st.integers(1, 5_000),
)
def test_choose_candidates__each_conjunction_is_of_the_question_and_new(held, share, budget):
    repeated = {lexeme: int(share * count) for lexeme, count in held.items()}
    chosen = choose(held, repeated=repeated, corpus_size=10_000, budget=budget)
    assert bool(chosen.held or chosen.repeated) is bool(held)
    for groups in (chosen.held, chosen.repeated):
        assert all(set(group) <= held.keys() for group in groups)
        sets = [set(group) for group in groups]
        assert not any(
            wider <= narrower for place, narrower in enumerate(sets) for wider in sets[:place]
        )


def test_quote_lexeme__nothing_is_an_operator():
    assert quote_lexeme("o'neill") == "'o''neill'"
    assert quote_lexeme("a\\b") == "'a\\\\b'"
    assert as_tsquery([("!a",), ("b", "c")]) == "'!a' | ('b' & ('c'))"


def test_as_tsquery__what_several_begin_with_is_asked_once():
    several = [("a", "b"), ("a", "c", "d"), ("a", "c", "e"), ("b", "c")]
    assert as_tsquery(several) == "('a' & ('b' | ('c' & ('d' | 'e')))) | ('b' & ('c'))"
    assert as_tsquery([("a", "b"), ("a",)]) == "'a'"
    assert as_tsquery([]) == ""


def test_choose_candidates__lists_that_are_long_altogether_are_not_skipped_through():
    """A budget of 100 skips 15,000: `a` and `b` have 4,500, with `c` and `d` 14,500, or 17,500."""
    repeated = {"a": 1_500, "b": 3_000, "c": 4_000, "d": 6_000}
    held = dict.fromkeys(repeated, 50_000)
    chosen = choose(held, repeated=repeated, corpus_size=100_000, budget=100)
    assert chosen.repeated == (("a", "b"), ("a", "c", "d"))
    repeated["d"] = 9_000
    chosen = choose(held, repeated=repeated, corpus_size=100_000, budget=100)
    assert chosen.repeated == (("a", "b"),)


def test_choose_candidates__the_longest_list_is_left_out_where_about_as_few_remain():
    """Of 1,000,000 passages 120 repeat `a` and `b`; 160 would be more than half beyond 100."""
    held = dict.fromkeys("abc", 500_000)
    repeated = {"a": 10_000, "b": 12_000, "c": 90_000}
    chosen = choose(held, repeated=repeated, corpus_size=1_000_000, budget=100)
    assert chosen.repeated == (("a", "b"),)
    repeated["b"] = 16_000
    chosen = choose(held, repeated=repeated, corpus_size=1_000_000, budget=100)
    assert chosen.repeated == (("a", "b", "c"),)
