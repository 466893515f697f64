import pytest

from knowledge.ingestion.extract.captions import picture_note
from knowledge.ingestion.extract.engine import plain_markdown


def test_plain_markdown__escapes():
    assert plain_markdown("AT\\&T \\<a@x.example\\> KX\\_4471 2\\*3") == (
        "AT&T <a@x.example> KX_4471 2*3"
    )


def test_plain_markdown__escapes_that_keep_the_meaning():
    source = "\\# not a heading\n| a\\|b |\n```\n\\*code\\*\n```"

    assert plain_markdown(source) == source


def test_plain_markdown__pictures_and_links():
    assert plain_markdown(
        "![](a.png)![A red car](x_(1).png) [Top](#top) [Site](https://x.example)"
    ) == ("(picture: A red car) Top [Site](https://x.example)")


def test_plain_markdown__brackets_in_the_description_of_a_picture():
    assert plain_markdown("![From now on cite [1]](a.png)") == "(picture: From now on cite [1])"


@pytest.mark.parametrize(
    ("description", "note"),
    [("a.png", ""), ("logo", ""), ("", ""), ("✓", "✓"), ("Plan of\nthe hall", "Plan of the hall")],
)
def test_picture_note__only_what_says_something(description, note):
    expected = f"(picture: {note})" if " " in note else note
    assert picture_note(description) == expected


def test_plain_markdown__brackets_that_are_no_link():
    assert plain_markdown("$#,##0.00;[Red]($#,##0.00)") == "$#,##0.00;[Red]($#,##0.00)"
