from hypothesis import given
from hypothesis import strategies as st

from knowledge.ingestion.passages import LEAD_SHARE, lead_text, passage_text
from tests.strategies import any_text


def test_passage_text__order_of_its_parts():
    passage = passage_text(
        title="Price list", heading_path=("2031", "Gold"), prefix="| Plan |", text="| P-097 |"
    )

    assert passage == "Price list\n2031 > Gold\n| Plan |\n| P-097 |"


def test_passage_text__text_alone():
    assert passage_text(title="", heading_path=(), prefix="", text="a") == "a"


def test_passage_text__says_nothing_twice():
    passage = passage_text(
        title="Plans", heading_path=("plans", "Gold"), prefix="", text="## Gold\n\nFast."
    )

    assert passage == "Plans\n## Gold\n\nFast."


def test_lead_text__cuts_a_long_title_and_drops_outer_headings():
    lead = lead_text(
        title="word " * 100, heading_path=("outer " * 5, "inner"), text="", max_tokens=100
    )

    # 60 characters in all: 24 at most for headings, and what they leave for the title.
    assert lead == "word word word word word word word word word word word\ninner"


def test_lead_text__none_where_the_limit_is_tiny():
    assert lead_text(title="Plans", heading_path=(), text="", max_tokens=31) == ""


@given(any_text, st.lists(any_text, max_size=4), st.integers(32, 600))
def test_lead_text__is_bounded_by_its_share(title, headings, max_tokens):
    lead = lead_text(title=title, heading_path=headings, text="", max_tokens=max_tokens)

    width = sum(1 if character.isascii() else 3 for character in lead)
    assert width <= max_tokens * LEAD_SHARE + 1
