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
