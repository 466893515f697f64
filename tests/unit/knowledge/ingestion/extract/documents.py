"""Small files built by the tests, and the shortest way to read them."""

import zipfile
from io import BytesIO

from knowledge.ingestion.extract.limits import ExtractionLimits
from knowledge.ingestion.extract.reader import read_content

WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
CONTENT_TYPES = ("[Content_Types].xml", "<Types/>")


def read(name, content, **limits):
    """Read bytes under a file name in this process."""
    raw = content if isinstance(content, bytes) else content.encode()
    return read_content(name, raw, ExtractionLimits(**limits))


def zipped(*entries, method=zipfile.ZIP_DEFLATED):
    """Pack (name, content) pairs."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return buffer.getvalue()


def word(body, *parts):
    """Build a Word document from the XML of its body and further parts."""
    document = f"<w:document {WORD}><w:body>{body}</w:body></w:document>"
    return zipped(CONTENT_TYPES, ("word/document.xml", document), *parts)


def run(text, properties=""):
    look = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    return f'<w:r>{look}<w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(*runs, properties=""):
    return f"<w:p>{f'<w:pPr>{properties}</w:pPr>' if properties else ''}{''.join(runs)}</w:p>"


RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
CORE_PROPERTIES = (
    "docProps/core.xml",
    (
        '<c xmlns:dc="urn:dc" xmlns:t="urn:terms"><dc:title>Plan</dc:title>'
        "<dc:creator>Ana Brandt</dc:creator><dc:language>de-DE</dc:language>"
        "<t:created>2029-03-04T10:00:00Z</t:created></c>"
    ),
)
# What the properties above say.
STATED = {
    "title": "Plan",
    "author": "Ana Brandt",
    "published_at": "2029-03-04T10:00:00Z",
    "language": "de-DE",
}


def related(part, *targets):
    """Build the relations of a part from (kind, target) pairs, known as r1, r2 and so on."""
    folder, _, name = part.rpartition("/")
    entries = "".join(
        f'<Relationship Id="r{number}" Type="{RELATIONSHIPS}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, start=1)
    )
    path = f"{folder}/_rels/{name}.rels".lstrip("/")
    namespace = "http://schemas.openxmlformats.org/package/2006/relationships"
    return path, f'<Relationships xmlns="{namespace}">{entries}</Relationships>'


def drawn(*texts):
    """Build a drawing that holds a paragraph for each text."""
    paragraphs = "".join(f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>" for text in texts)
    return f'<d xmlns:a="{DRAWING}">{paragraphs}</d>'
