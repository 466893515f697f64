import time

import pytest

from knowledge.ingestion.extract.markup import read_html


@pytest.mark.parametrize(
    "hidden",
    [
        '<p style="display:none">secret order</p>',
        '<div style="DISPLAY : none"><p>secret order</p></div>',
        '<span style="font-size:0px">secret order</span>',
        '<span style="visibility: hidden">secret order</span>',
        "<div hidden>secret order</div>",
        '<span style="color:#fff">secret order</span>',
        "<template>secret order</template>",
        "<script>secret order</script language>",
        "<!-- secret order -->",
    ],
)
def test_read_html__hidden_text_is_left_out(hidden):
    reading = read_html(
        f"<html><body><h1>Notes</h1>{hidden}<p>Renewed for two years</p></body></html>"
    )

    assert "secret" not in reading.text
    assert reading.text.strip() == "# Notes\n\nRenewed for two years"


def test_read_html__hidden_text_is_counted():
    assert read_html("<p hidden>0123456789</p><p>x</p>").warnings == (
        "10 hidden characters of the page were left out",
    )


def test_read_html__hidden_paragraph_ends_where_the_next_begins():
    assert read_html("<p hidden>secret<p>shown").text.strip() == "shown"


def test_read_html__structure_and_references():
    reading = read_html(
        "<h2>A&amp;B</h2><ul><li>x &lt; y</li></ul>"
        '<p><a href="#top">Top</a> <a href="https://x.example/a">Site</a></p>'
        '<img alt="Company logo" src="data:image/png;base64,AAAA">'
    )

    assert reading.text.strip() == (
        "## A&B\n\n- x < y\n\nTop [Site](https://x.example/a)\n\nCompany logo"
    )


def test_read_html__metadata():
    reading = read_html(
        '<html lang="de"><head><title>Preise &amp; mehr</title><meta name="author" content="Ana">'
        '<meta property="article:published_time" content="2031-02-03"></head><body>x</body></html>'
    )

    assert reading.metadata == {
        "title": "Preise & mehr",
        "author": "Ana",
        "published_at": "2031-02-03",
        "language": "de",
    }


@pytest.mark.parametrize(
    "mark", ["<", "<a ", '<a b="', "<!-- x>", "<![", "&#", "![x](", "[", "<p hidden>"]
)
def test_read_html__hostile_repetition_is_read_in_linear_time(mark):
    started = time.monotonic()

    read_html(mark * (50_000 // len(mark)))

    assert time.monotonic() - started < 5
