"""Guards: near twins with another answer are refused, honest paraphrases pass."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachemgr.guards import GUARDS, GuardReport, check_guards

NEAR_TWINS = [
    ("numbers", "Refund within 14 days?", "Refund within 30 days?"),
    ("numbers", "Is the limit 5 kg?", "Is the limit 5 lb?"),
    ("numbers", "Is the limit 5kg?", "Is the limit 6kg?"),
    ("numbers", "Is the fee $10?", "Is the fee €10?"),
    ("numbers", "Is the fee 1,000?", "Is the fee 1000.5?"),
    ("numbers", "Can two agents share a seat?", "Can three agents share a seat?"),
    ("numbers", "What is the first step?", "What is the 2nd step?"),
    ("numbers", "What is set to -20?", "What is set to 20?"),
    ("numbers", "Move tickets from tier 1 to tier 2", "Move tickets from tier 2 to tier 1"),
    ("dates", "What did we sell in May?", "What did we sell in June?"),
    ("dates", "Revenue in Q1?", "Revenue in Q2?"),
    ("dates", "Who called last week?", "Who called this week?"),
    ("dates", "Who calls today?", "Who calls tomorrow?"),
    ("dates", "Is it paid monthly?", "Is it paid yearly?"),
    ("identifiers", "Status of INC-98765?", "Status of INC-98766?"),
    ("identifiers", "Does it run on C++?", "Does it run on C?"),
    ("identifiers", "Who is a.lee@north.example?", "Who is b.lee@north.example?"),
    ("names", "Who owns Acme?", "Who owns Globex?"),
    ("names", "Is Northwind's contract signed?", "Is Contoso's contract signed?"),
    ("names", "Acme renewal date?", "Globex renewal date?"),
    ("names", 'What does "gold" mean?', 'What does "silver" mean?'),
    ("negation", "Which plans include support?", "Which plans don't include support?"),
    ("negation", "Can I pay with a card?", "Can I pay without a card?"),
    ("negation", "Who has access?", "Who has no access?"),
    ("polarity", "How do I enable sign-in?", "How do I disable sign-in?"),
    ("polarity", "How do I turn on alerts?", "How do I turn off alerts?"),
    ("polarity", "How do I log in?", "How do I log out?"),
    ("polarity", "Why did costs increase?", "Why did costs decrease?"),
    ("polarity", "What is the maximum discount?", "What is the minimum discount?"),
    ("polarity", "Do we buy from Acme?", "Do we sell from Acme?"),
    ("qualifiers", "Can managers approve refunds?", "Can only managers approve refunds?"),
    ("qualifiers", "Who signs before delivery?", "Who signs after delivery?"),
    ("qualifiers", "Is every region covered?", "Is region covered except one?"),
    ("qualifiers", "Discount for at least ten seats?", "Discount for less than ten seats?"),
    ("order", "Did Acme pay Globex?", "Did Globex pay Acme?"),
    ("order", "How do I export from Excel to Word?", "How do I export from Word to Excel?"),
    ("order", "Can I move from US to UK?", "Can I move from UK to US?"),
    ("substitution", "Refund period for the basic plan?", "Refund period for the premium plan?"),
    ("kind", "When did Acme sign?", "Why did Acme sign?"),
    ("kind", "How much is the seat?", "How many seats?"),
    ("kind", "Who is the contact at Acme?", "Where is the contact at Acme?"),
    ("kind", "Is support included?", "What support is included?"),
]

PARAPHRASES = [
    ("What is the refund period?", "what's the period for refunds?"),
    ("What is the refund period?", "What is our refund period"),
    ("Who owns the Acme account?", "who owns acme account"),
    ("Which plan includes phone support?", "What plan includes the phone support?"),
    ("How do I export the report?", "How can I export reports?"),
    ("What is Acme’s contract value?", "What is the contract value of Acme?"),
    ("What is the fee of 1,000 seats?", "what's the fee for 1000 seats"),
    ("When does INC-98765 close?", "when will inc-98765 close?"),
]


@pytest.mark.parametrize(("guard", "asked", "stored"), NEAR_TWINS)
def test_check_guards__near_twins(guard, asked, stored):
    assert guard in check_guards(asked, stored).refused_by
    assert guard in check_guards(stored, asked).refused_by


def test_check_guards__every_guard_has_near_twins():
    assert {guard for guard, _, _ in NEAR_TWINS} == set(GUARDS)


@pytest.mark.parametrize(("asked", "stored"), PARAPHRASES)
def test_check_guards__paraphrases(asked, stored):
    assert check_guards(asked, stored) == GuardReport(refused_by=())
    assert check_guards(stored, asked).passed


@given(st.text(max_size=80))
def test_check_guards__a_question_agrees_with_itself(text):
    assert check_guards(text, text).passed


words = ["what", "is", "the", "of", "for", "not", "Acme", "5", "days", "only", "refund", "period"]
questions = st.lists(st.sampled_from(words), max_size=8).map(" ".join)


@given(questions, questions)
def test_check_guards__order_of_the_two_does_not_matter(first, second):
    assert check_guards(first, second) == check_guards(second, first)
