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
    ) == ("A red car Top [Site](https://x.example)")


def test_plain_markdown__brackets_that_are_no_link():
    assert plain_markdown("$#,##0.00;[Red]($#,##0.00)") == "$#,##0.00;[Red]($#,##0.00)"
