"""What questions say of recency."""

import pytest

from retrieval.query.recency import PRESENT_STRENGTH, find_recency


@pytest.mark.parametrize(
    ("question", "words", "topic"),
    [
        ("What is the latest grail?", ("latest",), "What is the grail?"),
        ("the most recent call with Patsy", ("most recent",), "the call with Patsy"),
        ("Newest quests", ("Newest",), "quests"),
        ("WHAT IS THE LATEST NEWS", ("LATEST",), "WHAT IS THE NEWS"),
        ("our last support chat with Patsy", ("last support chat",), None),
        ("When did we last meet Patsy?", ("did we last",), None),
        ("latest", ("latest",), None),
    ],
)
def test_find_recency__asks_for_the_newest(question, words, topic):
    found = find_recency(question)
    assert found is not None
    assert (found.words, found.strength, found.topic) == (words, 1.0, topic or question)


@pytest.mark.parametrize("question", ["Who is king now?", "the current king", "recently crowned"])
def test_find_recency__prefers_the_present(question):
    found = find_recency(question)
    assert found is not None
    assert (found.strength, found.topic) == (PRESENT_STRENGTH, question)


@pytest.mark.parametrize(
    "question",
    [
        "Who is the king?",
        "What does 'the latest grail' mean?",
        'What is "the newest castle" about?',
        "Does Camelot Today | Latest Quest News report it?",
        "What are its current liabilities?",
        "last quarter",
        "the last name of the knight",
        "known recents",
    ],
)
def test_find_recency__says_nothing(question):
    assert find_recency(question) is None


def test_find_recency__an_apostrophe_is_no_quotation():
    assert find_recency("Arthur's latest quest and Patsy's horse") is not None


def test_find_recency__a_passing_word_of_a_long_question_counts_less():
    # 15 / 30 words
    found = find_recency("the latest grail " + "and so on " * 9)
    assert found is not None
    assert found.strength == 0.5
