"""Conversation: what cannot be understood alone is told apart from what can."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachemgr.conversation import depends_on_conversation

DEPENDENT = [
    "and for them?",
    "what about the second one?",
    "how much is it?",
    "and in Q3?",
    "And for the premium plan?",
    "How much is it",
    "Who is he?",
    "When did they sign?",
    "What about refunds?",
    "Does it include support?",
    "Why?",
    "Why not?",
    "How much?",
    "The second one?",
    "In Q3?",
    "for Acme?",
    "Is that included?",
    "What does that cost?",
    "Can you explain that?",
    "tell me more",
    "Tell me more please",
    "How do I do that?",
    "Who else?",
    "Is it the same for Globex?",
    "What is its price?",
    "Which one is cheaper?",
    "Can the customer cancel it?",
    "How do I cancel it?",
    "Who signed this contract?",
    "And their revenue?",
    "What did you say about refunds?",
    "Explain in more detail",
    "Q3?",
    "2024?",
    "the former?",
    "How long does it take?",
    "Is it possible?",
    "Und in Q3?",
    "Und für sie?",
    "Wie viel kostet es?",
    "Was ist mit dem zweiten?",
    "Wer ist er?",
    "Was kostet das?",
    "Et pour eux ?",
    "Combien coûte-t-il ?",
    "Qu'en est-il du deuxième ?",
    "Et en 2024 ?",
    "¿Y para ellos?",
    "¿Cuánto cuesta?",
    "¿Qué tal el segundo?",
    "¿Cómo puedo cancelarlo?",
    "Hi! How much is it?",
    "What happens then?",
    "Is Globex included too?",
    "Or monthly?",
    "without them?",
    "Does Acme want it?",
    "what else?",
    "Should we renew this one?",
    "Who works there?",
    "Do those plans include support?",
    "Is this still true?",
    "Sind sie günstiger?",
    "Welche davon ist billiger?",
    "If it breaks after the warranty, who pays?",
    "Thanks. And the price?",
]

INDEPENDENT = [
    "When a customer cancels, what do they get?",
    "Do customers pay for their seats?",
    "How long does it take to export contacts?",
    "Is it possible to export contacts?",
    "What did we sell this week?",
    "Who owns the Acme account?",
    "Which plan includes SSO and how much does it cost?",
    "What is the refund period?",
    "Refund period for the basic plan",
    "Does Acme pay its invoices?",
    "What is the plan that includes phone support?",
    "Is it true that refunds take 30 days?",
    "Can I move from US to UK?",
    "For the premium plan, how long is the notice period?",
    "In Q3 2031, what was our revenue?",
    "Which one of the plans includes support?",
    "How do I reset the password of a user who forgot it?",
    "What happens to a ticket after it is closed?",
    "Are there any limits on uploads?",
    "Does the contract with Acme say that it renews?",
    "Wer ist unser Ansprechpartner bei Acme?",
    "Wie lange dauert es, bis eine Erstattung kommt?",
    "Gibt es einen Rabatt für Schulen?",
    "Was bekommt ein Kunde, wenn er kündigt?",
    "Wie können Sie Acme helfen?",
    "Il y a une remise pour les écoles ?",
    "Quel est le prix de la licence ?",
    "Combien coûte la licence premium ?",
    "¿Cuál es el precio de la licencia?",
    "¿Hay un descuento para escuelas?",
    "refund policy",
    "How to enable 2FA",
    "Steps to turn on 2FA for support staff",
    "What is our discount floor?",
    "Can managers approve refunds?",
    "What is the status of INC-98765?",
    "Hello! What is the refund period?",
    "Who is the contact at Acme?",
    "What does Acme do?",
    "Is the trial free?",
    "US or UK?",
    "Ist die Probezeit kostenlos?",
    "Est-il possible de changer de plan ?",
    "What is it like to work at Acme?",
    "What is schizophrenia? How is it treated?",
    "Is the trial worth it?",
    "What does IT do for sales?",
]


@pytest.mark.parametrize("question", DEPENDENT)
def test_depends_on_conversation__points_back(question):
    assert depends_on_conversation(question)


@pytest.mark.parametrize("question", INDEPENDENT)
def test_depends_on_conversation__stands_alone(question):
    assert not depends_on_conversation(question)


@pytest.mark.parametrize("text", ["", "?", " \n"])
def test_depends_on_conversation__says_nothing(text):
    assert depends_on_conversation(text)


@given(st.text(max_size=80))
def test_depends_on_conversation__ignores_end_punctuation(text):
    bare = text.rstrip("?!. ")
    assert depends_on_conversation(bare) == depends_on_conversation(f"{bare}?")
