from knowledge.ingestion.extract.archive import open_zip
from knowledge.ingestion.extract.formats import FileFormat
from knowledge.ingestion.extract.office import find_missing
from tests.unit.knowledge.ingestion.extract.documents import zipped

DRAWING = 'xmlns:a="urn:a"'


def shape(*texts):
    paragraphs = "".join(f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>" for text in texts)
    return f"<d {DRAWING}>{paragraphs}</d>"


def test_find_missing__presentation_parts():
    package = zipped(
        ("ppt/slides/slide1.xml", shape("Plan 2031", "Growth")),
        ("ppt/diagrams/data1.xml", shape("VP - Marketing")),
        ("ppt/notesSlides/notesSlide1.xml", shape("Mention the discount")),
    )

    with open_zip(package) as archive:
        missing = list(find_missing(archive, FileFormat.PPTX, "# Plan 2031"))

    assert missing == ["Growth", "## Diagram\n\nVP - Marketing", "## Notes\n\nMention the discount"]


def test_find_missing__text_boxes_and_comments_of_a_workbook():
    comment = "<comments><comment><text><r><t>Check this</t></r></text></comment></comments>"
    package = zipped(
        ("xl/drawings/drawing1.xml", shape("Box text")),
        ("xl/comments1.xml", comment),
    )

    with open_zip(package) as archive:
        missing = list(find_missing(archive, FileFormat.XLSX, "| a |"))

    assert missing == ["## Drawing\n\nBox text", "## Comments\n\nCheck this"]
