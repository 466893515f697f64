"""Guards: near twins with another answer are refused, honest paraphrases pass."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachemgr.guards import GUARDS, Addition, GuardReport, check_guards

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
    ("numbers", "Is anyone in at 8 am?", "Is anyone in at 8 pm?"),
    ("numbers", "Is anyone in at 8am?", "Is anyone in at 8pm?"),
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
    ("negation", "Which invoices are paid?", "Which invoices are unpaid?"),
    ("negation", "Welche Kunden haben verlängert?", "Welche Kunden haben nicht verlängert?"),
    ("negation", "Quels clients ont payé ?", "Quels clients n'ont pas payé ?"),
    ("negation", "¿Puedo pagar con tarjeta?", "¿Puedo pagar sin tarjeta?"),
    ("polarity", "How do I enable sign-in?", "How do I disable sign-in?"),
    ("polarity", "How do I turn on alerts?", "How do I turn off alerts?"),
    ("polarity", "How do I log in?", "How do I log out?"),
    ("polarity", "Why did costs increase?", "Why did costs decrease?"),
    ("polarity", "What is the maximum discount?", "What is the minimum discount?"),
    ("polarity", "Who opened too many tickets?", "Who opened too few tickets?"),
    ("polarity", "Do we buy from Acme?", "Do we sell from Acme?"),
    ("qualifiers", "Can managers approve refunds?", "Can only managers approve refunds?"),
    ("qualifiers", "Can only managers approve?", "Can managers approve only refunds?"),
    ("qualifiers", "Do I need SSO and MFA?", "Do I need SSO or MFA?"),
    ("qualifiers", "Welche Akten darf er lesen?", "Welche Akten darf nur er lesen?"),
    ("qualifiers", "Who signs before delivery?", "Who signs after delivery?"),
    ("qualifiers", "Is every region covered?", "Is region covered except one?"),
    ("qualifiers", "Discount for at least ten seats?", "Discount for less than ten seats?"),
    ("order", "Did Acme pay Globex?", "Did Globex pay Acme?"),
    ("order", "How do I export from Excel to Word?", "How do I export from Word to Excel?"),
    ("order", "Can I move from US to UK?", "Can I move from UK to US?"),
    ("order", "Who invited Petra?", "Who was invited, Petra?"),
    ("order", "Who wrote to Petra?", "Who did Petra write to?"),
    ("order", "How do I contact you?", "How do you contact me?"),
    ("order", "Was the invoice sent by Acme?", "Was the invoice sent to Acme?"),
    ("content", "Refund period for the basic plan?", "Refund period for the premium plan?"),
    ("content", "What is the account manager's plan?", "What is the accounting manager's plan?"),
    ("tense", "Did Acme renew?", "Will Acme renew?"),
    ("tense", "Who is on holiday?", "Who was on holiday?"),
    ("tense", "Which rooms can managers book?", "Which rooms do managers book?"),
    ("language", "What is an NDA?", "Was ist ein NDA?"),
    ("language", "Quel est le prix du plan Pro ?", "¿Cuál es el precio del plan Pro?"),
    ("kind", "Warum hat Acme gekündigt?", "Wann hat Acme gekündigt?"),
    ("kind", "When did Acme sign?", "Why did Acme sign?"),
    ("kind", "How much is the seat?", "How many seats?"),
    ("kind", "Who is the contact at Acme?", "Where is the contact at Acme?"),
    ("kind", "Is support included?", "What support is included?"),
    ("relations", "Which team did Sam move to?", "Which team did Sam move from?"),
    ("relations", "Who does Sam work for?", "Who does Sam work with?"),
    ("relations", "Which tasks are assigned to me?", "Which tasks are assigned by me?"),
    ("relations", "By when do we invoice Acme?", "When do we invoice Acme?"),
    ("relations", "Who was there?", "Who else was there?"),
    ("relations", "Which regions had few complaints?", "Which regions had a few complaints?"),
    ("relations", "Which users didn't all log in?", "Which users all didn't log in?"),
    ("relations", "Wie schalte ich die Heizung ein?", "Wie schalte ich die Heizung aus?"),
    ("relations", "Welche Preise liegen über 500 Euro?", "Welche Preise liegen unter 500 Euro?"),
    ("relations", "Hat den Vogt der Brandt bezahlt?", "Hat der Vogt den Brandt bezahlt?"),
    ("relations", "¿Para quién trabaja Luis?", "¿Por quién trabaja Luis?"),
    ("persons", "What is my quota?", "What is our quota?"),
    ("persons", "Can he approve hers?", "Can she approve his?"),
    ("persons", "Can you cancel the order?", "Can we cancel the order?"),
    ("persons", "What is their bank account?", "What is our bank account?"),
    ("forms", "Which invited guests came?", "Which inviting guests came?"),
    ("forms", "Which referring customers left?", "Which referred customers left?"),
    ("forms", "Which damages did Acme claim?", "Which damage did Acme claim?"),
    ("forms", "Was kostete der Umzug?", "Was kostet der Umzug?"),
    ("tense", "Who had to approve it?", "Who has to approve it?"),
    ("tense", "Which orders have been shipped?", "Which orders are to be shipped?"),
    ("tense", "Who would have approved it?", "Who has approved it?"),
    ("tense", "Who is paying for the booth?", "Who pays for the booth?"),
    ("tense", "Which reports get sent?", "Which reports got sent?"),
    ("tense", "Who can sign?", "Who could sign?"),
    ("numbers", "Who pays exactly 500 euros?", "Who pays about 500 euros?"),
    ("names", "Does Frank answer tickets?", "Does frank answer tickets?"),
    ("names", "When did US customers complain?", "When did us customers complain?"),
]

PARAPHRASES = [
    ("What is the refund period?", "what's the period for refunds?"),
    ("What is the refund period?", "What is our refund period"),
    ("Who owns the Acme account?", "who owns acme account"),
    ("Which plan includes phone support?", "What plan includes the phone support?"),
    ("How do I export the report?", "How can I export reports?"),
    ("What is Acme’s contract value?", "What is the contract value of Acme?"),
    ("What is the fee of 1,000 seats?", "what's the fee for 1000 seats"),
    ("When does INC-98765 close?", "when does inc-98765 close?"),
    ("How do I turn on alerts?", "What is the best way to enable alerts?"),
    ("What is the difference between Pro and Team?", "difference between Team and Pro"),
    ("Is single sign-on part of the plan?", "Is SSO part of the plan?"),
    ("What did it cost in the EU last year?", "What did it cost in the European Union last year?"),
    ("From Rome to Oslo, what is the price?", "What is the price from Rome to Oslo?"),
    ("How do I delete my account?", "How can I remove my account?"),
    ("Hi, how long is the trial?", "How long is the trial, please?"),
    ("Who is the CEO of Acme?", "Acme's CEO"),
    ("How do we reduce stress at work?", "How can I reduce work stress?"),
    ("Is there a way to merge contacts?", "Is it possible to merge contacts?"),
    ("Which is the best book for buyers?", "Which book is best for buyers?"),
    ("How do I reset the PIN?", "How do we reset the PIN?"),
    ("What is the discount on the plan?", "What is the discount of the plan?"),
    ("In which company did Acme invest?", "Which company did Acme invest in?"),
    ("Is the hotline free of charge?", "Is the hotline free?"),
]


@pytest.mark.parametrize(("guard", "asked", "stored"), NEAR_TWINS)
def test_check_guards__near_twins(guard, asked, stored):
    assert guard in check_guards(asked, stored).refused_by
    assert guard in check_guards(stored, asked).refused_by


def test_check_guards__every_guard_has_near_twins():
    assert {guard for guard, _, _ in NEAR_TWINS} == set(GUARDS)


@pytest.mark.parametrize(("asked", "stored"), PARAPHRASES)
def test_check_guards__paraphrases(asked, stored):
    assert check_guards(asked, stored) == GuardReport(addition=Addition.NOTHING)
    assert check_guards(stored, asked).passed


@given(st.text(max_size=80))
def test_check_guards__a_question_agrees_with_itself(text):
    assert check_guards(text, text).passed


words = ["what", "is", "the", "of", "for", "not", "Acme", "5", "days", "only", "refund", "period"]
questions = st.lists(st.sampled_from(words), max_size=8).map(" ".join)


@given(questions, questions)
def test_check_guards__order_of_the_two_does_not_matter(first, second):
    assert check_guards(first, second) == check_guards(second, first)


def test_check_guards__one_word_more_is_told():
    asked, stored = "What is static in Java?", "What is the use of static in Java?"
    for pair in ((asked, stored), (stored, asked)):
        assert check_guards(*pair) == GuardReport(addition=Addition.NOTHING)
    stored = "What is the meaning of static in Java?"
    for pair in ((asked, stored), (stored, asked)):
        assert check_guards(*pair) == GuardReport(addition=Addition.APART)


@pytest.mark.parametrize(
    ("asked", "more"),
    [
        ("When does the contract end?", "When does the support contract end?"),
        ("What does a driver earn?", "What does a driver earn on average?"),
        ("Which customers pay?", "Which customers pay upfront?"),
        ("Which tickets were closed in May?", "Which tickets were automatically closed in May?"),
        (
            "Which tender requirements does our bid meet?",
            "Which tender requirements does our bid fail to meet?",
        ),
        ("Which invoices did they pay?", "Which invoices did they refuse to pay?"),
        ("Who has to sign the lease?", "Who is authorised to sign the lease?"),
    ],
)
def test_check_guards__a_word_more_that_narrows_is_refused(asked, more):
    assert "content" in check_guards(asked, more).refused_by
    assert "content" in check_guards(more, asked).refused_by


def test_check_guards__two_words_more_are_refused():
    report = check_guards("When does the plan end?", "When does the basic support plan end?")
    assert report.refused_by == ("content",)


ACME, GLOBEX = UUID(int=1), UUID(int=2)


def test_check_guards__names_of_entities():
    names = {"The Company": (ACME,), "the company": (ACME,), "Our Company": (GLOBEX,)}
    asked, stored = "Who owns The Company?", "Who owns Our Company?"
    assert check_guards(asked, stored).passed
    assert check_guards(asked, stored, names=names).refused_by == ("names",)
    assert check_guards(asked, "who owns the company", names=names).passed
