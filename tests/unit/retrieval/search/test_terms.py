"""Weights of words."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.search.terms import (
    MOST_TERMS,
    ExpansionTerms,
    Reading,
    Term,
    TermSet,
    coverage,
    describe_terms,
    inverse_document_frequency,
    is_usual,
    keep_rarest,
    keep_useful,
    weigh_words,
)


def term(word, lexeme, document_frequency=1, reading=Reading.WORD):
    return Term(word=word, reading=reading, lexeme=lexeme, document_frequency=document_frequency)


def question(*terms, size=100):
    return TermSet(language="english", language_size=size, corpus_size=size, terms=terms)


def covered(asked, held):
    return coverage(weigh_words(asked), held)


def test_inverse_document_frequency__rare_words_weigh_more():
    """By hand: ln(1 + 99.5 / 1.5) and ln(1 + 0.5 / 100.5)."""
    assert inverse_document_frequency(1, corpus_size=100) == pytest.approx(4.2096, abs=1e-4)
    assert inverse_document_frequency(100, corpus_size=100) == pytest.approx(0.00496, abs=1e-5)


@given(frequency=st.integers(0, 10_000), size=st.integers(0, 5_000))
def test_inverse_document_frequency__is_positive_even_where_statistics_are_stale(frequency, size):
    assert inverse_document_frequency(frequency, corpus_size=size) > 0


def test_keep_useful__an_unstemmed_word_replaces_an_unknown_stem():
    stem = term(1, "eglis", 0)
    plain = term(1, "eglise", 2, Reading.PLAIN)
    assert keep_useful([stem, plain]) == (stem, plain)


def test_keep_useful__an_unstemmed_word_is_left_out_beside_a_known_stem():
    stem = term(1, "polici", 7)
    plain = term(1, "policies", 2, Reading.PLAIN)
    assert keep_useful([stem, plain]) == (stem,)


def test_keep_useful__stop_words_count_only_alone():
    the = term(1, "the", 3, Reading.PLAIN)
    who = term(2, "who", 0, Reading.PLAIN)
    assert keep_useful([the, who]) == (the,)
    assert keep_useful([the, term(2, "grail", 4)]) == (term(2, "grail", 4),)


def test_coverage__rare_words_weigh_more():
    asked = question(term(1, "grail", 1), term(2, "castl", 100))
    assert covered(asked, {"grail", "castl"}) == 1.0
    assert covered(asked, {"grail"}) > 0.99
    assert covered(asked, {"castl"}) < 0.01
    assert covered(asked, set()) == 0.0


def test_coverage__an_identifier_written_otherwise_is_covered_by_its_parts():
    """TRX-88-10 against TRX/88-10: the parser's lexemes differ, the extra terms agree."""
    asked = question(
        term(1, "trx"),
        term(1, "-88", 0),
        term(1, "-10", 0),
        *(term(1, lexeme, 1, Reading.IDENTIFIER) for lexeme in ("trx", "88", "10", "trx8810")),
    )
    assert covered(asked, {"trx", "88", "10", "trx8810", "stock"}) == 1.0
    assert covered(asked, {"trx"}) < 0.5


def test_coverage__a_question_without_terms_covers_nothing():
    assert covered(question(), {"grail"}) == 0.0


@given(
    frequencies=st.lists(st.integers(0, 200), min_size=1, max_size=8),
    held=st.sets(st.integers(0, 7)),
)
def test_coverage__is_a_share_and_grows_with_what_is_held(frequencies, held):
    asked = question(
        *(term(place + 1, str(place), count) for place, count in enumerate(frequencies))
    )
    lexemes = {str(place) for place in held}
    some = covered(asked, lexemes)
    assert 0.0 <= some <= covered(asked, lexemes | {"0"}) <= 1.0 + 1e-9


def test_frequencies__each_lexeme_once_rarest_first():
    asked = question(term(1, "b", 9), term(2, "a", 9), term(3, "c", 1), term(4, "c", 1))
    assert list(asked.frequencies(most=10).items()) == [("c", 1), ("a", 9), ("b", 9)]
    assert list(asked.frequencies(most=1)) == ["c"]


def test_frequencies__those_that_occur_take_precedence():
    asked = question(term(1, "nobody", 0), term(2, "a", 9), term(3, "c", 1))
    assert list(asked.frequencies(most=2).items()) == [("c", 1), ("a", 9)]
    assert list(asked.frequencies(most=3)) == ["nobody", "c", "a"]


def test_keep_rarest__in_their_order_those_that_occur_first():
    unknown = [term(place, f"u{place}", 0) for place in range(MOST_TERMS)]
    known = [term(MOST_TERMS + 1, "common", 90), term(MOST_TERMS + 2, "rare", 1)]
    assert keep_rarest(known) == tuple(known)
    assert keep_rarest([*unknown, *known]) == (*unknown[:-2], *known)


def test_weigh_words__of_little_words_alone_by_what_spans_them():
    asked = question(term(0, "thewho", 1, Reading.IDENTIFIER))
    assert covered(asked, {"thewho"}) == 1.0
    assert covered(asked, {"live"}) == 0.0


def test_describe_terms__what_is_known_and_what_is_not():
    asked = question(term(1, "grail", 3), term(2, "vrolk", 0))
    assert describe_terms([asked]) == {"terms": ["grail"], "unknown_terms": ["vrolk"]}
    assert describe_terms([]) == {"terms": [], "unknown_terms": []}


def widened(asked, *frequencies, weight=0.5):
    """Return the question with another wording of its first word, of these document frequencies."""
    wording = ExpansionTerms(
        places=frozenset({1}),
        frequencies={f"other{place}": count for place, count in enumerate(frequencies)},
    )
    return replace(asked, expansions=(wording,), expansion_weight=weight)


def test_expansion_idf__a_share_of_its_own_but_at_most_of_what_was_asked():
    common = widened(question(term(1, "knight", 50)), 1)
    assert common.expansion_idf(common.expansions[0]) == pytest.approx(0.5 * common.idf(50))
    rare = widened(question(term(1, "paladin", 1)), 50)
    assert rare.expansion_idf(rare.expansions[0]) == pytest.approx(0.5 * rare.idf(50))
    unread = widened(question(), 7)
    assert unread.expansion_idf(unread.expansions[0]) == pytest.approx(0.5 * unread.idf(7))


def test_affordable_expansions__the_rarest_while_they_fit():
    asked = question(term(1, "knight", 50))
    wordings = tuple(
        ExpansionTerms(places=frozenset({1}), frequencies={lexeme: count})
        for lexeme, count in (("c", 9), ("a", 2), ("b", 3))
    )
    asked = replace(asked, expansions=wordings, expansion_weight=0.5)
    assert asked.affordable_expansions(budget=6) == [("a",), ("b",)]
    assert asked.affordable_expansions(budget=1) == []


def test_coverage__a_word_is_covered_by_another_wording_that_is_held_whole():
    asked = widened(question(term(1, "grail"), term(2, "castl")), 1, 1)
    assert covered(asked, {"other0", "other1"}) == pytest.approx(0.5)
    assert covered(asked, {"other0"}) == 0.0
    assert covered(asked, {"grail", "castl", "other0"}) == 1.0


def test_is_usual__where_more_passages_hold_the_other_wording():
    wording = ExpansionTerms(places=frozenset({1, 2}), frequencies={"q3": 5})
    assert is_usual(wording, [term(1, "third", 4), term(2, "quarter", 90)])
    assert not is_usual(wording, [term(1, "third", 5), term(2, "quarter", 90)])
    assert is_usual(wording, [term(2, "quarter", 90)])
    assert not is_usual(replace(wording, frequencies={"q3": 0}), [])
