from tests.unit.knowledge.ingestion.extract.documents import read


def pdf(*lines, info=""):
    """Write one page with a line of text each; `info` is what it says of itself."""
    shown = " ".join(f"({line}) Tj 0 -20 Td" for line in lines)
    stream = f"BT /F1 12 Tf 72 720 Td {shown} ET"
    objects = (
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources 6 0 R>>",
        f"<</Length {len(stream)}>>stream\n{stream}\nendstream",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        "<</Font<</F1 5 0 R>>>>",
        f"<<{info}>>",
    )
    document = "%PDF-1.4\n"
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(document))
        document += f"{number} 0 obj\n{content}\nendobj\n"
    start = len(document)
    document += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n"
    document += "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    document += (
        f"trailer<</Size {len(objects) + 1}/Root 1 0 R/Info 7 0 R>>\nstartxref\n{start}\n%%EOF"
    )
    return document


def test_read_pdf__more_pages_than_allowed():
    extraction = read("a.pdf", pdf("Invoice 88-103"), max_pages=0)

    assert extraction.status == "refused"
    assert extraction.reason == "The PDF has 1 pages, more than the 0 allowed: split it"


def test_read_pdf__every_line_in_order():
    extraction = read("a.pdf", pdf("Invoice 88-103", "Total 12.00 EUR", "Due in 30 days"))

    assert [line for line in extraction.text.splitlines() if line] == [
        "Invoice 88-103",
        "Total 12.00 EUR",
        "Due in 30 days",
    ]


def test_read_pdf__hyphen_at_a_line_end_the_document_itself_resolves():
    text = read("a.pdf", pdf("an efficient way", "an ef-ficient plan", "a well-known name")).text

    assert "an efficient plan" in text
    assert "a well-known name" in text


def test_read_pdf__no_text_layer():
    extraction = read("scan.pdf", pdf())

    assert extraction.status == "no_text"
    assert "needs OCR" in extraction.reason


def test_read_pdf__what_it_says_of_itself():
    info = "/Title(Offer 7)/Author(Ana Brandt)/CreationDate(D:20290304100000Z)"

    assert read("a.pdf", pdf("Offer", info=info)).metadata == {
        "title": "Offer 7",
        "author": "Ana Brandt",
        "published_at": "2029-03-04T10:00:00Z",
    }
