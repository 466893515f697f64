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


@pytest.mark.parametrize(
    "hidden",
    [
        '<p style="color:#fff;background:#fff">secret order</p>',
        '<div style="background:white"><p style="color:#fefefe">secret order</p></div>',
        '<p style="background-color: rgb(0,0,0); color: black !important">secret order</p>',
        '<table><tr><td bgcolor="#000"><font color="#010101">secret order</font></td></tr></table>',
        '<p style="color:transparent">secret order</p>',
        '<p style="color:rgba(0, 0, 0, 0)">secret order</p>',
        '<p style="position:absolute; left:-9999px">secret order</p>',
        '<p style="text-indent:-999em">secret order</p>',
        '<p style="opacity:.0">secret order</p>',
        '<p style="opacity:1%">secret order</p>',
        '<p style="font-size:1px">secret order</p>',
        '<p style="height:0;overflow:hidden">secret order</p>',
        '<p style="position:absolute;clip:rect(1px, 1px, 1px, 1px)">secret order</p>',
        '<p style="clip-path:inset(100%)">secret order</p>',
        '<p style="transform:scale(0)">secret order</p>',
    ],
)
def test_read_html__unseen_text_is_left_out_and_counted(hidden):
    reading = read_html(f"<body>{hidden}<p>shown</p></body>")

    assert "secret" not in reading.text
    assert reading.warnings == ("12 hidden characters of the page were left out",)


@pytest.mark.parametrize(
    "shown",
    [
        '<p style="color:#fff;background:#036">an order</p>',
        '<div style="background:#036"><h2 style="color:white">an order</h2></div>',
        '<table><tr><td bgcolor="#003366"><font color="#ffffff">an order</font></td></tr></table>',
        '<div style="background:url(night.jpg)"><p style="color:white">an order</p></div>',
        '<div class="hero"><p style="color:white">an order</p></div>',
        '<p style="opacity:0.5;font-size:0.9em;color:#333">an order</p>',
        '<p style="position:absolute;top:1200px;left:-2px">an order</p>',
        '<p style="height:40px;overflow:hidden">an order</p>',
        '<p style="text-indent:-1em">an order</p>',
        '<p style="background:white">an <b style="color:gold">order</b></p>',
        '<div style="background:black"><p>one</div><p style="color:black">an order</p>',
    ],
)
def test_read_html__what_is_seen_is_kept(shown):
    reading = read_html(f"<body>{shown}</body>")

    assert "order" in reading.text
    assert reading.warnings == ()


@pytest.mark.parametrize(
    "sheet",
    [
        ".x {display:none}",
        "p.x, #other {\n  visibility: hidden;\n}",
        "/* .y{} */ @charset 'utf-8'; .x{position:absolute;left:-9999px}",
        ".y{color:red} #i { font-size: 0 }",
    ],
)
def test_read_html__text_that_the_style_sheet_hides_is_kept_and_counted(sheet):
    reading = read_html(
        f"<head><style>{sheet}</style></head><body><p id='i' class='x'>an <b>order</b></p>"
        "<p class='y'>more</p></body>"
    )

    assert "order" in reading.text
    assert reading.warnings == ("7 characters that its style sheet hides were kept",)


@pytest.mark.parametrize(
    "sheet",
    [
        "<style media='print'>.x{display:none}</style>",
        "<style>@media print {.x{display:none}}</style>",
        "<style>.open .x{display:none} .x:hover{display:none}</style>",
        "<style>.x{display:block</style>",
        "<style>}}}{{{ .x</style>",
    ],
)
def test_read_html__rules_that_may_not_apply_count_for_nothing(sheet):
    assert read_html(f"{sheet}<p class='x'>an order</p>").warnings == ()


def test_read_html__hidden_paragraph_ends_where_the_next_begins():
    assert read_html("<p hidden>secret<p>shown").text.strip() == "shown"


def test_read_html__structure_and_references():
    reading = read_html(
        "<h2>A&amp;B</h2><ul><li>x &lt; y</li></ul>"
        '<p><a href="#top">Top</a> <a href="https://x.example/a">Site</a></p>'
        '<img alt="Company logo" src="data:image/png;base64,AAAA">'
    )

    assert reading.text.strip() == (
        "## A&B\n\n- x < y\n\nTop [Site](https://x.example/a)\n\n(picture: Company logo)"
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
    "mark",
    [
        "<",
        "<a ",
        '<a b="',
        "<!-- x>",
        "<![",
        "&#",
        "![x](",
        "[",
        "<p hidden>",
        "<p class=x>",
        "<b></p>",
    ],
)
def test_read_html__hostile_repetition_is_read_in_linear_time(mark):
    started = time.monotonic()

    read_html(mark * (50_000 // len(mark)))

    assert time.monotonic() - started < 5
