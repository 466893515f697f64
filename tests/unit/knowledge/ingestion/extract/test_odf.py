from tests.unit.knowledge.ingestion.extract.documents import read, zipped

NAMESPACES = 'xmlns:text="urn:text" xmlns:table="urn:table" xmlns:o="urn:office" xmlns:dc="urn:dc"'


def open_document(body, *parts):
    content = f"<o:content {NAMESPACES}><o:body><o:text>{body}</o:text></o:body></o:content>"
    mimetype = ("mimetype", "application/vnd.oasis.opendocument.text")
    return zipped(mimetype, ("content.xml", content), *parts)


def test_read_open_document__structure():
    cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
    body = (
        '<text:h text:outline-level="2">Terms</text:h>'
        "<text:p>Pay in<text:s/>30 <text:span>days</text:span></text:p>"
        "<text:list><text:list-item><text:p>first</text:p></text:list-item></text:list>"
        f"<table:table><table:table-row>{cell.format('a')}{cell.format('b')}</table:table-row>"
        "</table:table>"
    )

    assert read("a.odt", open_document(body)).text == (
        "## Terms\n\nPay in 30 days\n\n- first\n\n| a | b |\n| --- | --- |"
    )


def test_read_open_document__accepted_view_and_comments():
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>within 14 days</text:p>"
        "</text:deletion></text:changed-region></text:tracked-changes>"
        "<text:p>Due in 30 days<o:annotation><dc:creator>Ana</dc:creator><text:p>Agreed?</text:p>"
        "</o:annotation></text:p>"
    )

    assert read("a.odt", open_document(body)).text == "Due in 30 days\n\nComment by Ana: Agreed?"


def test_read_open_document__encrypted():
    manifest = ("META-INF/manifest.xml", "<m><encryption-data/></m>")

    assert "protected by a password" in read("a.odt", open_document("", manifest)).reason
