import pytest

from tests.unit.knowledge.ingestion.extract.documents import (
    WORD,
    paragraph,
    read,
    run,
    word,
)

RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def relations(*kinds):
    """Relate the main part to one part of each kind."""
    entries = "".join(
        f'<Relationship Id="r{kind}" Type="{RELATIONS}/{kind}" Target="{kind}.xml"/>'
        for kind in kinds
    )
    return ("word/_rels/document.xml.rels", f"<Relationships>{entries}</Relationships>")


def text_of(document):
    return read("letter.docx", document).text


def test_read_docx__accepted_view_of_tracked_changes():
    """Case B11: inserted text counts, deleted and moved-away text does not."""
    document = word(
        paragraph(
            run("Invoices are due "),
            "<w:del><w:r><w:delText>within 14 days</w:delText></w:r></w:del>",
            f"<w:ins>{run('within 30 days')}</w:ins>",
            run("."),
        )
        + paragraph(
            f"<w:ins>{run('Late fees are waived for charities.')}</w:ins>",
            properties="<w:rPr><w:ins/></w:rPr>",
        )
        + paragraph(f"<w:moveFrom>{run('Old place')}</w:moveFrom>")
        + paragraph(f"<w:moveTo>{run('New place')}</w:moveTo>")
    )

    assert text_of(document) == (
        "Invoices are due within 30 days.\n\nLate fees are waived for charities.\n\nNew place"
    )


def test_read_docx__deleted_paragraph_mark_joins_paragraphs():
    document = word(
        paragraph(run("Payment in "), properties="<w:rPr><w:del/></w:rPr>")
        + paragraph(run("advance"))
    )

    assert text_of(document) == "Payment in advance"


def test_read_docx__special_characters_in_cells():
    cells = "".join(f"<w:tc>{paragraph(run(text))}</w:tc>" for text in ("A &amp; B|C", "x&lt;y"))
    row = f"<w:tr>{cells}</w:tr>"

    assert text_of(word(f"<w:tbl>{row}{row}</w:tbl>")) == (
        "| A & B\\|C | x<y |\n| --- | --- |\n| A & B\\|C | x<y |"
    )


def test_read_docx__deleted_rows_and_merged_cells():
    merged = "<w:tcPr><w:vMerge/></w:tcPr>"
    rows = (
        f"<w:tr><w:tc>{paragraph(run('Region'))}</w:tc><w:tc>{paragraph(run('Q1'))}</w:tc></w:tr>",
        f"<w:tr><w:trPr><w:del/></w:trPr><w:tc>{paragraph(run('gone'))}</w:tc></w:tr>",
        f"<w:tr><w:tc>{merged}{paragraph()}</w:tc><w:tc>{paragraph(run('12'))}</w:tc></w:tr>",
    )

    assert text_of(word(f"<w:tbl>{''.join(rows)}</w:tbl>")) == (
        "| Region | Q1 |\n| --- | --- |\n| Region | 12 |"
    )


def test_read_docx__text_box_is_read_once():
    box = f"<w:txbxContent>{paragraph(run('Urgent'))}</w:txbxContent>"
    drawing = (
        '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        f"<mc:Choice><w:drawing>{box}</w:drawing></mc:Choice>"
        f"<mc:Fallback><w:pict>{box}</w:pict></mc:Fallback></mc:AlternateContent>"
    )

    document = word(paragraph(run("See the box"), f"<w:r>{drawing}</w:r>"))

    assert text_of(document) == "See the box\n\nUrgent"


def test_read_docx__notes_comments_headers_and_content_controls():
    note = (
        f'<w:footnotes {WORD}><w:footnote w:id="2">{paragraph(run("Net of tax"))}</w:footnote>'
        "</w:footnotes>"
    )
    comment = (
        f'<w:comments {WORD}><w:comment w:author="Ana">{paragraph(run("Agreed?"))}</w:comment>'
        "</w:comments>"
    )
    header = f"<w:hdr {WORD}>{paragraph(run('Confidential'))}</w:hdr>"
    control = f"<w:sdt><w:sdtContent>{paragraph(run('Chosen option'))}</w:sdtContent></w:sdt>"
    body = paragraph(run("Price"), '<w:r><w:footnoteReference w:id="2"/></w:r>') + control

    document = word(
        body,
        relations("footnotes", "comments", "header"),
        ("word/footnotes.xml", note),
        ("word/comments.xml", comment),
        ("word/header.xml", header),
    )

    assert text_of(document) == (
        "Price\n\nNote: Net of tax\n\nChosen option\n\nHeader:\nConfidential"
        "\n\n## Comments\n\nAna: Agreed?"
    )


def test_read_docx__headings_and_numbered_clauses():
    styles = (
        f'<w:styles {WORD}><w:style w:styleId="H2"><w:name w:val="heading 2"/></w:style></w:styles>'
    )
    levels = "".join(
        f'<w:lvl w:ilvl="{level}"><w:start w:val="1"/><w:numFmt w:val="decimal"/>'
        f'<w:lvlText w:val="{pattern}"/></w:lvl>'
        for level, pattern in enumerate(("%1.", "%1.%2."))
    )
    numbering = (
        f'<w:numbering {WORD}><w:abstractNum w:abstractNumId="7">{levels}</w:abstractNum>'
        '<w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num></w:numbering>'
    )

    def clause(text, level):
        number = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="3"/></w:numPr>'
        return paragraph(run(text), properties=number)

    body = paragraph(run("Terms"), properties='<w:pStyle w:val="H2"/>')
    body += clause("Fees", 0) + clause("Due", 0) + clause("In 30 days", 1)

    document = word(
        body,
        relations("styles", "numbering"),
        ("word/styles.xml", styles),
        ("word/numbering.xml", numbering),
    )

    assert text_of(document) == "## Terms\n\n1. Fees\n\n2. Due\n\n2.1. In 30 days"


def test_read_docx__properties():
    core = (
        '<cp:coreProperties xmlns:cp="urn:cp" xmlns:dc="urn:dc" xmlns:dcterms="urn:dct">'
        "<dc:title>Terms</dc:title><dc:creator>Ana</dc:creator>"
        "<dcterms:modified>2031-05-01T10:00:00Z</dcterms:modified></cp:coreProperties>"
    )

    extraction = read("a.docx", word(paragraph(run("x")), ("docProps/core.xml", core)))

    assert extraction.metadata == {
        "title": "Terms",
        "author": "Ana",
        "published_at": "2031-05-01T10:00:00Z",
    }


@pytest.mark.parametrize("body", ["", paragraph(run("   "))])
def test_read_docx__blank(body):
    extraction = read("spaces.docx", word(body))

    assert extraction.status == "no_text"
    assert extraction.reason == "The document holds no text, only pictures or blank pages"


def test_read_docx__nested_beyond_reason():
    body = "<w:p>" + "<w:smartTag>" * 20_000 + run("x") + "</w:smartTag>" * 20_000 + "</w:p>"

    assert read("deep.docx", word(body)).reason == (
        "The file is too large or too deeply nested to be read"
    )


WHITE = '<w:color w:val="FFFFFF"/>'


@pytest.mark.parametrize(
    "look",
    ["<w:vanish/>", '<w:vanish w:val="true"/>', '<w:rStyle w:val="Ghost"/>'],
    ids=["run", "stated", "style"],
)
def test_read_docx__hidden_text_is_left_out_and_counted(look):
    styles = (
        f'<w:styles {WORD}><w:style w:styleId="Base"><w:rPr><w:vanish/></w:rPr></w:style>'
        '<w:style w:styleId="Ghost"><w:basedOn w:val="Base"/></w:style></w:styles>'
    )
    body = paragraph(run("Renewed"), run("secret order", look), run(" in May"))

    extraction = read("letter.docx", word(body, relations("styles"), ("word/styles.xml", styles)))

    assert extraction.text == "Renewed in May"
    assert extraction.warnings == ("12 hidden characters of the document were left out",)


def test_read_docx__hidden_by_the_style_of_its_paragraph_unless_the_run_says_otherwise():
    styles = (
        f'<w:styles {WORD}><w:style w:styleId="Ghost"><w:rPr><w:vanish/></w:rPr></w:style>'
        "</w:styles>"
    )
    body = paragraph(
        run("secret"),
        run("shown", '<w:vanish w:val="0"/>'),
        properties='<w:pStyle w:val="Ghost"/>',
    )

    assert text_of(word(body, relations("styles"), ("word/styles.xml", styles))) == "shown"


@pytest.mark.parametrize(
    ("look", "faint"),
    [
        (WHITE, 12),
        ('<w:sz w:val="2"/>', 12),
        (f'{WHITE}<w:shd w:fill="000080"/>', 0),
        (f'{WHITE}<w:highlight w:val="black"/>', 0),
        ('<w:color w:val="333333"/><w:sz w:val="22"/>', 0),
    ],
)
def test_read_docx__white_and_tiny_text_is_kept_and_counted(look, faint):
    extraction = read("letter.docx", word(paragraph(run("secret order", look))))

    assert extraction.text == "secret order"
    expected = (f"{faint} characters in white or tiny print were kept",) if faint else ()
    assert extraction.warnings == expected


def test_read_docx__white_text_in_cells_stands_on_a_colour_of_the_table():
    row = f"<w:tr><w:tc>{paragraph(run('Region', WHITE))}</w:tc></w:tr>"

    assert read("a.docx", word(f"<w:tbl>{row}{row}</w:tbl>")).warnings == ()


def test_read_docx__the_description_of_a_picture_is_marked_as_one():
    picture = '<w:drawing><wp:docPr xmlns:wp="urn:wp" descr="A red car"/></w:drawing>'

    assert text_of(word(paragraph(run("See"), f"<w:r>{picture}</w:r>"))) == (
        "See\n\n(picture: A red car)"
    )
