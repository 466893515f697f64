"""Reading: the parts of a question."""

import pytest

from cachemgr.reading import counts_from_today, read_question


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Are 5 users more than 2.5 GB?", ("5 user", "2.5 gb")),
        ("$1,000 or 20%?", ("1000 usd", "20%")),
        ("twelve months", ("12 month",)),
        ("10kg", ("10 kg",)),
        ("at 18:45 on 2031-07-20", ("18:45", "2031", "-07", "-20")),
        ("nothing here", ()),
    ],
)
def test_read_question__numbers(text, numbers):
    assert read_question(text).numbers == numbers


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("What is the refund period?", ("refund", "period")),
        ("What is the period for refunds?", ("refund", "period")),
        ("period of the refund", ("refund", "period")),
        ("from Berlin to Rome", ("berlin", "rom")),
        ("Can it move from the US to us?", ("mov", "us")),
        ("Are Trello and Jira supported?", ("jira", "trello", "support")),
    ],
)
def test_read_question__order_of_roles(text, order):
    reading = read_question(text)
    assert reading.roles.heads_last == order
    assert reading.content == frozenset(order)


@pytest.mark.parametrize(
    ("text", "tense"),
    [
        ("Did Acme renew?", "past"),
        ("Which features shipped in May?", "past"),
        ("Has Acme renewed?", "perfect"),
        ("Who owns Acme?", "present"),
        ("Who owned Acme?", "past"),
        ("How many seats does Acme have?", "present"),
        ("How many seats did Acme use to have?", "past"),
        ("owner of Acme", ""),
        ("Who need it?", "present"),
        ("Which servers are being moved?", "progressive"),
        ("Wer leitet das Lager?", "present"),
        ("Wer leitete das Lager?", "past"),
        ("Qui dirigeait le dépôt ?", "past"),
        ("¿Quién firmó el contrato?", "past"),
        ("Is it included?", "present"),
        ("Are we going to renew?", "future"),
        ("Wird Acme verlängern, und wer ist das?", "future"),
        ("Wer war der Chef von Acme?", "past"),
    ],
)
def test_read_question__tense(text, tense):
    assert read_question(text).tense == tense


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("What is it?", ("what",)),
        ("Which one is it?", ("what",)),
        ("How much is it and who pays?", ("how much", "who")),
        ("Can I pay?", ("whether",)),
        ("Refund period", ()),
        ("What is the best way to merge contacts?", ("how",)),
        ("What is the reason for the delay?", ("why",)),
        ("Do you know whether it is free?", ("whether",)),
        ("Wie viele Kunden hat die Firma?", ("how viele",)),
        ("Combien coûte la licence ?", ("how much",)),
        ("¿Dónde se firmó el contrato?", ("where",)),
    ],
)
def test_read_question__kind(text, kind):
    assert read_question(text).kind == kind


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Who called last week?", True),
        ("What is due today?", True),
        ("Revenue of this quarter?", True),
        ("What happened three days ago?", True),
        ("Revenue of Q3 2030?", False),
        ("Who may call?", False),
        ("How many days is the notice period?", False),
    ],
)
def test_counts_from_today(text, expected):
    assert counts_from_today(text) is expected
