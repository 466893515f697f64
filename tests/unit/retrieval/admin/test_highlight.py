"""Marking the words of a question."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.admin.highlight import mark_words


def test_mark_words__word_in_another_case_and_with_another_ending() -> None:
    assert mark_words("Renewal of 2 contracts", "renewals contract") == (
        "<mark>Renewal</mark> of 2 <mark>contracts</mark>"
    )


def test_mark_words__accents_do_not_matter() -> None:
    assert mark_words("Zürich office", "zurich") == "<mark>Zürich</mark> office"


@pytest.mark.parametrize("question", ["what is the", "", "?!"])
def test_mark_words__words_that_say_nothing(question: str) -> None:
    assert mark_words("What is the price?", question) == "What is the price?"


def test_mark_words__stored_markup_stays_text() -> None:
    passage = "refund <img src=x onerror=alert(1)> steps <svg/onload=alert(2)>"

    assert mark_words(passage, "refund") == (
        "<mark>refund</mark> &lt;img src=x onerror=alert(1)&gt; steps &lt;svg/onload=alert(2)&gt;"
    )


def test_mark_words__a_marked_word_inside_markup_is_escaped_around() -> None:
    assert mark_words("<mark>refund</mark>", "refund mark") == (
        "&lt;<mark>mark</mark>&gt;<mark>refund</mark>&lt;/<mark>mark</mark>&gt;"
    )


@given(text=st.text(max_size=200), question=st.text(max_size=40))
def test_mark_words__only_our_marks_are_markup(text: str, question: str) -> None:
    without_marks = re.sub("</?mark>", "", mark_words(text, question))

    assert "<" not in without_marks
    assert ">" not in without_marks
