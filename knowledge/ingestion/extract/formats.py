"""What kind of file it is: by its content first, by its name second."""

import re
import zipfile
from enum import StrEnum
from io import BytesIO
from pathlib import PurePath


class FileFormat(StrEnum):
    """Kinds of files that are told apart; the value is the media type."""

    TEXT = "text/plain"
    MARKDOWN = "text/markdown"
    CSV = "text/csv"
    TSV = "text/tab-separated-values"
    JSON = "application/json"
    JSON_LINES = "application/x-ndjson"
    NOTEBOOK = "application/x-ipynb+json"
    XML = "application/xml"
    SVG = "image/svg+xml"
    HTML = "text/html"
    MAIL = "message/rfc822"
    CALENDAR = "text/calendar"
    RTF = "application/rtf"
    PDF = "application/pdf"
    DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
    ODT = "application/vnd.oasis.opendocument.text"
    ODS = "application/vnd.oasis.opendocument.spreadsheet"
    ODP = "application/vnd.oasis.opendocument.presentation"
    EPUB = "application/epub+zip"
    ZIP = "application/zip"
    GZIP = "application/gzip"
    DOC = "application/msword"
    XLS = "application/vnd.ms-excel"
    PPT = "application/vnd.ms-powerpoint"
    MSG = "application/vnd.ms-outlook"
    LOCKED_OFFICE = "application/encrypted"
    OLE = "application/x-ole-storage"
    IMAGE = "image/*"
    RECORDING = "video/*"
    PROGRAM = "application/x-executable"
    ARCHIVE = "application/x-archive"


TEXT_FORMATS = frozenset(
    {
        FileFormat.TEXT,
        FileFormat.MARKDOWN,
        FileFormat.CSV,
        FileFormat.TSV,
        FileFormat.JSON,
        FileFormat.JSON_LINES,
        FileFormat.NOTEBOOK,
        FileFormat.XML,
        FileFormat.SVG,
        FileFormat.HTML,
        FileFormat.MAIL,
        FileFormat.CALENDAR,
        FileFormat.RTF,
    }
)
ZIP_FORMATS = frozenset(
    {
        FileFormat.DOCX,
        FileFormat.XLSX,
        FileFormat.PPTX,
        FileFormat.ODT,
        FileFormat.ODS,
        FileFormat.ODP,
        FileFormat.EPUB,
        FileFormat.ZIP,
    }
)

_EXTENSIONS = {
    ".md": FileFormat.MARKDOWN,
    ".markdown": FileFormat.MARKDOWN,
    ".csv": FileFormat.CSV,
    ".tsv": FileFormat.TSV,
    ".tab": FileFormat.TSV,
    ".json": FileFormat.JSON,
    ".jsonl": FileFormat.JSON_LINES,
    ".ndjson": FileFormat.JSON_LINES,
    ".ipynb": FileFormat.NOTEBOOK,
    ".xml": FileFormat.XML,
    ".rss": FileFormat.XML,
    ".atom": FileFormat.XML,
    ".svg": FileFormat.SVG,
    ".html": FileFormat.HTML,
    ".htm": FileFormat.HTML,
    ".xhtml": FileFormat.HTML,
    ".eml": FileFormat.MAIL,
    ".ics": FileFormat.CALENDAR,
    ".rtf": FileFormat.RTF,
    ".pdf": FileFormat.PDF,
    ".docx": FileFormat.DOCX,
    ".docm": FileFormat.DOCX,
    ".dotx": FileFormat.DOCX,
    ".xlsx": FileFormat.XLSX,
    ".xlsm": FileFormat.XLSX,
    ".pptx": FileFormat.PPTX,
    ".pptm": FileFormat.PPTX,
    ".ppsx": FileFormat.PPTX,
    ".odt": FileFormat.ODT,
    ".ods": FileFormat.ODS,
    ".odp": FileFormat.ODP,
    ".epub": FileFormat.EPUB,
    ".zip": FileFormat.ZIP,
    ".gz": FileFormat.GZIP,
    ".doc": FileFormat.DOC,
    ".xls": FileFormat.XLS,
    ".ppt": FileFormat.PPT,
    ".msg": FileFormat.MSG,
    **dict.fromkeys(
        (".png", ".jpg", ".jpeg", ".gif", ".tif", ".tiff", ".bmp", ".webp"), FileFormat.IMAGE
    ),
    **dict.fromkeys((".mp3", ".mp4", ".wav", ".avi", ".mov", ".mkv", ".ogg"), FileFormat.RECORDING),
    **dict.fromkeys((".exe", ".dll", ".so"), FileFormat.PROGRAM),
    **dict.fromkeys((".7z", ".rar", ".bz2", ".xz", ".zst"), FileFormat.ARCHIVE),
}
_MAGIC = (
    (b"PK\x03\x04", FileFormat.ZIP),
    (b"PK\x05\x06", FileFormat.ZIP),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", FileFormat.OLE),
    (b"{\\rtf", FileFormat.RTF),
    (b"\x1f\x8b\x08", FileFormat.GZIP),
    (b"\x89PNG\r\n\x1a\n", FileFormat.IMAGE),
    (b"\xff\xd8\xff", FileFormat.IMAGE),
    (b"GIF87a", FileFormat.IMAGE),
    (b"GIF89a", FileFormat.IMAGE),
    (b"II*\x00", FileFormat.IMAGE),
    (b"MM\x00*", FileFormat.IMAGE),
    (b"MZ\x90\x00", FileFormat.PROGRAM),
    (b"\x7fELF", FileFormat.PROGRAM),
    (b"\xcf\xfa\xed\xfe", FileFormat.PROGRAM),
    (b"ID3", FileFormat.RECORDING),
    (b"OggS", FileFormat.RECORDING),
    (b"7z\xbc\xaf\x27\x1c", FileFormat.ARCHIVE),
    (b"Rar!\x1a\x07", FileFormat.ARCHIVE),
    (b"BZh91AY&SY", FileFormat.ARCHIVE),
    (b"\xfd7zXZ\x00", FileFormat.ARCHIVE),
    (b"\x28\xb5\x2f\xfd", FileFormat.ARCHIVE),
)
_SCANS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
)
_PDF_SEARCH_BYTES = 1024
# Names in the directory of an OLE container, most telling first.
_OLE_STREAMS = (
    ("EncryptedPackage", FileFormat.LOCKED_OFFICE),
    ("__properties_version1.0", FileFormat.MSG),
    ("WordDocument", FileFormat.DOC),
    ("PowerPoint Document", FileFormat.PPT),
    ("Workbook", FileFormat.XLS),
)
_ZIP_MIMETYPES = {
    fmt.value: fmt for fmt in (FileFormat.EPUB, FileFormat.ODT, FileFormat.ODS, FileFormat.ODP)
}
_ZIP_FOLDERS = {"word": FileFormat.DOCX, "xl": FileFormat.XLSX, "ppt": FileFormat.PPTX}
_HTML_START = re.compile(r"\s*(?:<!--[^>]*-->\s*)?<(?:!doctype\s+html|html[\s>])", re.IGNORECASE)
_XML_START = re.compile(r"\s*<\?xml[\s]")


def format_of_name(name: str) -> FileFormat:
    """Return the format that a file name promises; plain text when it promises none."""
    return _EXTENSIONS.get(PurePath(name).suffix.lower(), FileFormat.TEXT)


def detect_format(name: str, content: bytes) -> FileFormat:
    """Return the format by magic bytes, by the name where the content is text or unknown."""
    if b"%PDF-" in content[:_PDF_SEARCH_BYTES]:
        return FileFormat.PDF
    for magic, file_format in _MAGIC:
        if content.startswith(magic):
            return _refine(file_format, name, content)
    return _detect_media(content) or format_of_name(name)


def picture_type(content: bytes) -> str:
    """Return the media type of a picture that can hold a scan, empty for other pictures."""
    for magic, media_type in _SCANS:
        if content.startswith(magic):
            return media_type
    return ""


def refine_text_format(file_format: FileFormat, text: str) -> FileFormat:
    """Recognise markup in a decoded file whose name promises only text."""
    if file_format not in {FileFormat.TEXT, FileFormat.XML}:
        return file_format
    start = text[:2000]
    if _HTML_START.match(start):
        return FileFormat.HTML
    if _XML_START.match(start):
        return FileFormat.SVG if "<svg" in start else FileFormat.XML
    return file_format


def _refine(file_format: FileFormat, name: str, content: bytes) -> FileFormat:
    if file_format is FileFormat.ZIP:
        return _detect_zip(name, content)
    if file_format is FileFormat.OLE:
        return _detect_ole(name, content)
    return file_format


def _detect_media(content: bytes) -> FileFormat | None:
    if content[:4] == b"RIFF":
        return FileFormat.IMAGE if content[8:12] == b"WEBP" else FileFormat.RECORDING
    if content[4:8] == b"ftyp":
        return FileFormat.RECORDING
    # Portable executables vary after their two-letter mark; the NUL tells them from prose.
    if content[:2] == b"MZ" and b"\x00" in content[2:64]:
        return FileFormat.PROGRAM
    return None


def _detect_zip(name: str, content: bytes) -> FileFormat:
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            names = archive.namelist()
            if "mimetype" in names and archive.getinfo("mimetype").file_size < 200:  # noqa: PLR2004 - a media type
                declared = archive.read("mimetype").decode("ascii", "replace").strip()
                if declared in _ZIP_MIMETYPES:
                    return _ZIP_MIMETYPES[declared]
    # NotImplementedError is how zipfile speaks of a compression it does not know.
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, ValueError):
        names = []
    if "[Content_Types].xml" in names:
        for member in names:
            folder = member.split("/", 1)[0]
            if "/" in member and folder in _ZIP_FOLDERS:
                return _ZIP_FOLDERS[folder]
    promised = format_of_name(name)
    return promised if promised in ZIP_FORMATS else FileFormat.ZIP


def _detect_ole(name: str, content: bytes) -> FileFormat:
    found = [fmt for stream, fmt in _OLE_STREAMS if stream.encode("utf-16-le") in content]
    if FileFormat.LOCKED_OFFICE in found:
        return FileFormat.LOCKED_OFFICE
    promised = format_of_name(name)
    if promised in found:
        return promised
    return found[0] if found else FileFormat.OLE
