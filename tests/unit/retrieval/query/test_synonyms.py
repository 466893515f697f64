"""Words a question may as well have used."""

import pytest

from retrieval.query.synonyms import MOST_EXPANSIONS, find_synonyms, words_at
from retrieval.query.vocabulary import SynonymRule


def rule(*terms, is_one_way=False):
    return SynonymRule(terms=terms, is_one_way=is_one_way)


def others(topic, *rules):
    return [(each.places, each.text) for each in find_synonyms(topic, rules)]


CRM = rule("CRM", "customer database")


def test_find_synonyms__a_word_and_a_phrase_stand_for_each_other():
    assert others("Who runs the CRM?", CRM) == [((4,), "customer database")]
    assert others("the customer database is slow", CRM) == [((2, 3), "CRM")]


def test_find_synonyms__one_way_only_from_the_first():
    one_way = rule("car", "vehicle", is_one_way=True)
    assert others("a car", one_way) == [((2,), "vehicle")]
    assert others("a vehicle", one_way) == []


@pytest.mark.parametrize("topic", ["crm", "(CRM)", "CRM's", "the \uff23\uff32\uff2d.", "“Crm”"])
def test_find_synonyms__normalised_as_documents_are(topic):
    assert [text for _, text in others(topic, CRM)] == ["customer database"]


def test_find_synonyms__with_or_without_accents():
    assert others("une eglise", rule("Église", "chapelle")) == [((2,), "chapelle")]


@pytest.mark.parametrize("topic", ["scrmble", "CRMs", "customer of a database", "", "?!"])
def test_find_synonyms__whole_words_only(topic):
    assert others(topic, CRM) == []


def test_find_synonyms__what_is_said_already_is_not_added():
    assert others("the CRM, our customer database", CRM) == []


def test_find_synonyms__a_loop_ends_after_one_step():
    loop = (rule("a1", "b1"), rule("b1", "c1"), rule("c1", "a1"))
    assert others("a1", *loop) == [((1,), "b1"), ((1,), "c1")]


def test_find_synonyms__a_chain_is_not_followed():
    chain = [rule(f"w{number}", f"w{number + 1}") for number in range(1_000)]
    assert others("w500", *chain) == [((1,), "w499"), ((1,), "w501")]


def test_find_synonyms__the_same_rule_twice_adds_once():
    assert others("CRM", CRM, CRM) == [((1,), "customer database")]


def test_find_synonyms__bounded():
    rules = [rule(*(f"w{group}x{number}" for number in range(100))) for group in range(100)]
    topic = " ".join(f"w{group}x0" for group in range(100))
    assert len(others(topic, *rules)) == MOST_EXPANSIONS


def test_words_at__as_the_topic_writes_them():
    assert words_at("the (Customer Database)?", (2, 3)) == "Customer Database"
