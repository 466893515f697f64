"""Periods in questions."""

from datetime import date

import pytest

from retrieval.query.dates import find_periods

TODAY = date(2031, 7, 20)


@pytest.mark.parametrize(
    ("question", "words", "since", "until"),
    [
        ("What changed last quarter?", "last quarter", "2031-04-01", "2031-07-01"),
        ("calls this week", "this week", "2031-07-14", "2031-07-21"),
        ("last year", "last year", "2030-01-01", "2031-01-01"),
        ("in the last 3 months", "the last 3 months", "2031-04-20", "2031-07-21"),
        ("past 10 days", "past 10 days", "2031-07-11", "2031-07-21"),
        ("yesterday", "yesterday", "2031-07-19", "2031-07-20"),
        ("since March 2031", "since March 2031", "2031-03-01", None),
        ("before Dec. 2030", "before Dec. 2030", None, "2030-12-01"),
        ("after 2031-02-03", "after 2031-02-03", "2031-02-04", None),
        ("on February 28, 2031", "February 28, 2031", "2031-02-28", "2031-03-01"),
        ("on 6th May 2030", "6th May 2030", "2030-05-06", "2030-05-07"),
        # 45 days more, for what is reported afterwards
        ("revenue in Q3 2030", "Q3 2030", "2030-07-01", "2030-11-15"),
        ("the third quarter of 2030", "third quarter of 2030", "2030-07-01", "2030-11-15"),
        ("quests in 2030", "in 2030", "2030-01-01", "2031-02-15"),
        ("since 2029", "since 2029", "2029-01-01", None),
    ],
)
def test_find_periods__days(question, words, since, until):
    (found,) = find_periods(question, today=TODAY)
    days = [day and day.isoformat() for day in (found.since, found.until)]
    assert (found.words, *days) == (words, since, until)


@pytest.mark.parametrize(
    "question", ["the FY30 third quarter", "Q3 FY30", "fiscal year 2030 Q3", "Q3 of fiscal 2030"]
)
def test_find_periods__fiscal_quarters(question):
    (unknown,) = find_periods(question, today=TODAY)
    assert (unknown.since, unknown.until) == (None, None)
    (told,) = find_periods(question, today=TODAY, fiscal_first_month=7)
    assert (told.since, told.until) == (date(2030, 1, 1), date(2030, 5, 16))


@pytest.mark.parametrize(
    "question",
    [
        "Who is the king?",
        "model 2030 of the catapult",
        "the last quarterback",
        "February 31, 2030",
        "May I enter?",
        "Q3",
        "2030 knights",
        "the first quarter",
        "0001-01-01",
        "9999-12-31",
    ],
)
def test_find_periods__none(question):
    assert find_periods(question, today=TODAY) == ()


def test_find_periods__several_in_their_order():
    found = find_periods("from May 2, 2030 or in Q1 2031, not 2030-01-01", today=TODAY)
    assert [period.words for period in found] == ["from May 2, 2030", "Q1 2031", "2030-01-01"]
