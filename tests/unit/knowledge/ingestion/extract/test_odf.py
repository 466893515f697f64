from tests.unit.knowledge.ingestion.extract.documents import STATED, read, zipped

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


META = (
    "meta.xml",
    (
        '<o xmlns:m="urn:meta" xmlns:dc="urn:dc"><dc:title>Plan</dc:title>'
        "<m:initial-creator>Ana Brandt</m:initial-creator><dc:language>de-DE</dc:language>"
        "<m:creation-date>2029-03-04T10:00:00Z</m:creation-date></o>"
    ),
)
MANIFEST = ("META-INF/manifest.xml", '<m:manifest xmlns:m="urn:m"/>')


def test_read_open_document__slides_and_notes():
    box = "<d:frame><d:text-box><text:p>{}</text:p></d:text-box></d:frame>"
    body = (
        f'<d:page xmlns:d="urn:draw">{box.format("Growth")}'
        f'<p:notes xmlns:p="urn:presentation">{box.format("Speak slowly")}</p:notes></d:page>'
    )
    content = f"<o:content {NAMESPACES}><o:body>{body}</o:body></o:content>"
    mimetype = ("mimetype", "application/vnd.oasis.opendocument.presentation")

    extraction = read("a.odp", zipped(mimetype, META, ("content.xml", content)))

    assert extraction.text == "Growth\n\nNotes:\n\nSpeak slowly"
    assert extraction.metadata == STATED


def test_read_open_document__sheets():
    prefix = "urn:oasis:names:tc:opendocument:xmlns"
    namespaces = " ".join(
        f'xmlns:{name}="{prefix}:{name}:1.0"' for name in ("office", "text", "table")
    )
    row = '<table:table-cell office:value-type="string"><text:p>Jack</text:p></table:table-cell>'
    content = (
        f"<office:document-content {namespaces}><office:body><office:spreadsheet>"
        f'<table:table table:name="Prices"><table:table-row>{row}</table:table-row></table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    mimetype = ("mimetype", "application/vnd.oasis.opendocument.spreadsheet")

    extraction = read("a.ods", zipped(mimetype, META, MANIFEST, ("content.xml", content)))

    assert extraction.text.startswith("## Prices\n\n| Jack |")
    assert extraction.metadata == STATED


def test_read_open_document__encrypted():
    manifest = ("META-INF/manifest.xml", "<m><encryption-data/></m>")

    assert "protected by a password" in read("a.odt", open_document("", manifest)).reason
