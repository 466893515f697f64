"""Questions as they arrive."""

import pytest
from hypothesis import given

from retrieval.exceptions import InvalidQuestionError
from retrieval.query.parse import clean_question
from tests.strategies import broken_text


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Where is the grail?", "Where is the grail?"),
        ("  Where\n is\tthe grail? ", "Where is the grail?"),
        ("ﬁnd the grail", "find the grail"),
        ("soft\u00adhyphen", "softhyphen"),
        ("bell\x07rings", "bell rings"),
        ("x" * 4_096, "x" * 4_096),
    ],
)
def test_clean_question__normalises(text, question):
    assert clean_question(text) == question


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "The question is empty. Ask something."),
        ("   ", "The question is empty. Ask something."),
        ("\u200b", "The question is empty. Ask something."),
        ("\x07\x1b", "The question is empty. Ask something."),
        ("\x00", "The question holds a NUL character. Remove it."),
        ("abc\x00def", "The question holds a NUL character. Remove it."),
        (
            "abc\ud800",
            "The question holds half of a character (a lone surrogate). Remove it.",
        ),
        ("x" * 4_097, "The question has 4,097 characters; at most 4,096 are allowed."),
        ("word " * 200_000, "The question has 1,000,000 characters; at most 4,096 are allowed."),
    ],
)
def test_clean_question__refuses(text, message):
    with pytest.raises(InvalidQuestionError) as caught:
        clean_question(text)
    assert (caught.value.message, caught.value.field) == (message, "question")


def test_clean_question__limit_is_a_setting(settings):
    settings.CRMIND_RETRIEVAL = {"MAX_QUESTION_CHARACTERS": 5}
    with pytest.raises(InvalidQuestionError, match="at most 5 are allowed"):
        clean_question("Grail?")


@given(text=broken_text)
def test_clean_question__anything_is_cleaned_or_refused(text):
    try:
        question = clean_question(text)
    except InvalidQuestionError:
        return
    assert question == clean_question(question)
    assert question.strip() == question != ""
    question.encode()
