from knowledge.ingestion.extract.archive import open_zip
from knowledge.ingestion.extract.formats import FileFormat
from knowledge.ingestion.extract.office import find_missing
from tests.unit.knowledge.ingestion.extract.documents import (
    CONTENT_TYPES,
    CORE_PROPERTIES,
    DRAWING,
    RELATIONSHIPS,
    STATED,
    drawn,
    read,
    related,
    zipped,
)

PRESENTATION = "http://schemas.openxmlformats.org/presentationml/2006/main"
WORKBOOK = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def test_find_missing__presentation_parts():
    package = zipped(
        ("ppt/slides/slide1.xml", drawn("Plan 2031", "Growth")),
        ("ppt/diagrams/data1.xml", drawn("VP - Marketing")),
        ("ppt/notesSlides/notesSlide1.xml", drawn("Mention the discount")),
    )

    with open_zip(package) as archive:
        missing = list(find_missing(archive, FileFormat.PPTX, "# Plan 2031"))

    assert missing == ["Growth", "## Diagram\n\nVP - Marketing", "## Notes\n\nMention the discount"]


def test_find_missing__text_boxes_and_comments_of_a_workbook():
    comment = "<comments><comment><text><r><t>Check this</t></r></text></comment></comments>"
    package = zipped(
        ("xl/drawings/drawing1.xml", drawn("Box text")),
        ("xl/comments1.xml", comment),
    )

    with open_zip(package) as archive:
        missing = list(find_missing(archive, FileFormat.XLSX, "| a |"))

    assert missing == ["## Drawing\n\nBox text", "## Comments\n\nCheck this"]


def slide(root, *texts):
    namespaces = f'xmlns:p="{PRESENTATION}" xmlns:a="{DRAWING}"'
    shapes = "".join(
        f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="x"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr>'
        f"<p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"
        for number, text in enumerate(texts, start=2)
    )
    return f"<p:{root} {namespaces}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:{root}>"


def test_read_office__presentation_in_the_order_of_its_slides():
    listed = '<p:sldIdLst><p:sldId id="256" r:id="r2"/><p:sldId id="257" r:id="r1"/></p:sldIdLst>'
    package = zipped(
        CONTENT_TYPES,
        CORE_PROPERTIES,
        related("", ("officeDocument", "ppt/presentation.xml")),
        (
            "ppt/presentation.xml",
            (
                f'<p:presentation xmlns:p="{PRESENTATION}" xmlns:r="{RELATIONSHIPS}">{listed}'
                "</p:presentation>"
            ),
        ),
        related(
            "ppt/presentation.xml", ("slide", "slides/slide1.xml"), ("slide", "slides/slide2.xml")
        ),
        ("ppt/slides/slide1.xml", slide("sld", "Shown second")),
        ("ppt/slides/slide2.xml", slide("sld", "Shown first", "Growth")),
        related(
            "ppt/slides/slide2.xml",
            ("notesSlide", "../notesSlides/notesSlide1.xml"),
            ("diagramData", "../diagrams/data1.xml"),
        ),
        ("ppt/notesSlides/notesSlide1.xml", slide("notes", "Speak slowly")),
        ("ppt/diagrams/data1.xml", drawn("VP Sales")),
    )

    extraction = read("a.pptx", package)

    assert [line for line in extraction.text.splitlines() if line] == [
        "## Shown first", "Growth", "## Shown second",
        "## Diagram", "VP Sales", "## Notes", "Speak slowly",
    ]  # fmt: skip
    assert extraction.metadata == STATED


def test_read_office__workbook_with_values_and_text_boxes():
    namespaces = f'xmlns="{WORKBOOK}" xmlns:r="{RELATIONSHIPS}"'
    cells = '<c r="A1" t="inlineStr"><is><t>Jack</t></is></c><c r="B1"><f>2*3</f><v>6</v></c>'
    terms = '<c r="A1" t="inlineStr"><is><t>30 days</t></is></c>'
    sheet = '<worksheet xmlns="{}"><sheetData><row r="1">{}</row></sheetData></worksheet>'
    package = zipped(
        CONTENT_TYPES,
        CORE_PROPERTIES,
        related("", ("officeDocument", "xl/workbook.xml")),
        (
            "xl/workbook.xml",
            (
                f'<workbook {namespaces}><sheets><sheet name="Prices" sheetId="1" r:id="r1"/>'
                '<sheet name="Terms" sheetId="2" r:id="r2"/></sheets></workbook>'
            ),
        ),
        related(
            "xl/workbook.xml",
            ("worksheet", "worksheets/sheet1.xml"),
            ("worksheet", "worksheets/sheet2.xml"),
        ),
        ("xl/worksheets/sheet1.xml", sheet.format(WORKBOOK, cells)),
        ("xl/worksheets/sheet2.xml", sheet.format(WORKBOOK, terms)),
        ("xl/drawings/drawing1.xml", drawn("Valid until June")),
    )

    extraction = read("a.xlsx", package)

    assert extraction.text == (
        "## Prices\n\n| Jack | 6 |\n| --- | --- |\n\n## Terms\n\n| 30 days |\n| --- |\n\n"
        "## Drawing\n\nValid until June"
    )
    assert extraction.metadata == STATED
