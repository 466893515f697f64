"""Read one file in this process: checks, the reader of its format, and the verdict on it."""

import re
import stat
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from knowledge.ingestion.extract import (
    archive,
    calendars,
    docx,
    mail,
    markup,
    odf,
    office,
    outlook,
    page,
    pdf,
    rtf,
    structured,
    unpack,
)
from knowledge.ingestion.extract.decode import decode_text, valid_unicode
from knowledge.ingestion.extract.engine import read_with_engine
from knowledge.ingestion.extract.errors import NoTextError, RefusedFileError
from knowledge.ingestion.extract.formats import (
    TEXT_FORMATS,
    ZIP_FORMATS,
    FileFormat,
    detect_format,
    picture_type,
    refine_text_format,
)
from knowledge.ingestion.extract.limits import ExtractionLimits
from knowledge.ingestion.extract.ocr import read_scan
from knowledge.ingestion.extract.reading import RawFile, Reading, UnpackBudget
from knowledge.ingestion.extract.slides import in_shown_order
from knowledge.ingestion.types import Attachment, Extraction, ExtractionStatus

_HTML_CHARSET = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w:.-]{2,40})", re.IGNORECASE
)
_XML_CHARSET = re.compile(
    rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w:.-]{2,40})", re.IGNORECASE
)
_DECLARATION_BYTES = 4096
_UNREADABLE_KINDS = {
    FileFormat.LOCKED_OFFICE: "The file is protected by a password: save it without one",
    FileFormat.PROGRAM: "This is a program, not a document",
    FileFormat.RECORDING: "This is a recording: add its transcript instead",
    FileFormat.ARCHIVE: "This kind of archive is not opened: unpack it and add the files",
    FileFormat.OLE: "The file is damaged or of an unknown kind: save it as PDF, DOCX or text",
}
_PICTURE = "This is a picture: its text cannot be read without OCR"


def read_file(path: Path, limits: ExtractionLimits, *, as_page: bool = False) -> Extraction:
    """Read a file from disk; every failure is an Extraction with its reason."""
    try:
        content = _load(path, limits)
    except RefusedFileError as error:
        return Extraction(status=ExtractionStatus.REFUSED, reason=str(error))
    return read_content(path.name, content, limits, as_page=as_page)


def read_content(
    name: str, content: bytes, limits: ExtractionLimits, *, as_page: bool = False
) -> Extraction:
    """Read a file held in memory under its name."""
    file_format = detect_format(name, content)
    mime_type = file_format.value
    file = RawFile(
        name=name,
        content=content,
        limits=limits,
        budget=UnpackBudget(limits),
        is_page=as_page,
    )
    try:
        reading = read_raw(file)
    except NoTextError as error:
        return Extraction(status=ExtractionStatus.NO_TEXT, reason=str(error), mime_type=mime_type)
    except RefusedFileError as error:
        return Extraction(status=ExtractionStatus.REFUSED, reason=str(error), mime_type=mime_type)
    except (MemoryError, RecursionError):
        reason = "The file is too large or too deeply nested to be read"
        return Extraction(status=ExtractionStatus.REFUSED, reason=reason, mime_type=mime_type)
    return _to_extraction(reading, mime_type, limits)


def read_raw(file: RawFile) -> Reading:
    """Read any file, also one found inside another; raise RefusedFileError or NoTextError."""
    if not file.content:
        message = "The file is empty"
        raise NoTextError(message)
    if file.depth > file.limits.max_depth:
        message = "Files are nested too deeply in one another"
        raise RefusedFileError(message)
    file_format = detect_format(file.name, file.content)
    if file_format in _UNREADABLE_KINDS:
        raise RefusedFileError(_UNREADABLE_KINDS[file_format])
    reading = _read_format(file, file_format)
    if not _has_text(reading.text):
        raise NoTextError(reading.if_blank)
    return reading


def _read_format(file: RawFile, file_format: FileFormat) -> Reading:
    if file_format is FileFormat.IMAGE:
        return _read_picture(file)
    if file_format in ZIP_FORMATS:
        archive.check_zip(file)
        return _read_package(file, file_format)
    if file_format in TEXT_FORMATS:
        return _read_text_format(file, file_format)
    if file_format is FileFormat.PDF:
        _require_magic(file, b"%PDF-")
        return pdf.read_pdf(file)
    if file_format is FileFormat.GZIP:
        return unpack.read_gzip(file, read_raw)
    _require_magic(file, b"\xd0\xcf\x11\xe0")
    return _read_legacy_office(file, file_format)


def _read_picture(file: RawFile) -> Reading:
    """Recognise a picture that is a file of its own; those in messages are mostly logos."""
    mime_type = picture_type(file.content)
    if file.depth or not mime_type:
        raise NoTextError(_PICTURE)
    return read_scan(file, mime_type, otherwise=_PICTURE)


def _read_package(file: RawFile, file_format: FileFormat) -> Reading:
    if file_format is FileFormat.DOCX:
        return docx.read_docx(file)
    if file_format is FileFormat.PPTX:
        return office.read_office(replace(file, content=in_shown_order(file.content)), file_format)
    if file_format is FileFormat.XLSX:
        return office.read_office(file, file_format)
    if file_format is FileFormat.ZIP:
        return archive.read_zip(file, read_raw)
    if file_format is FileFormat.EPUB:
        engine = read_with_engine(file.content, file_format.value)
        return Reading(text=engine.text, metadata=engine.metadata)
    return odf.read_open_document(file, file_format)


def _read_legacy_office(file: RawFile, file_format: FileFormat) -> Reading:
    if file_format is FileFormat.MSG:
        return outlook.read_outlook(file, read_raw)
    engine = read_with_engine(file.content, file_format.value)
    return Reading(text=engine.text, metadata=engine.metadata)


def _read_text_format(file: RawFile, file_format: FileFormat) -> Reading:
    if file_format is FileFormat.RTF:
        _require_magic(file, b"{\\rtf")
        return rtf.read_rtf(file.content)
    if file_format is FileFormat.MAIL:
        return mail.read_mail(file, read_raw)
    decoded = decode_text(file.content, declared=_declared_charset(file.content))
    text = decoded.text.removeprefix("\ufeff")
    refined = refine_text_format(file_format, text)
    is_page = file.is_page and refined is FileFormat.HTML
    reading = page.read_page(text) if is_page else _TEXT_READERS[refined](text)
    return replace(
        reading,
        mime_type=refined.value,
        encoding=decoded.encoding,
        warnings=(*decoded.warnings, *reading.warnings),
    )


def _as_it_is(text: str) -> Reading:
    return Reading(text=text)


def _read_markdown(text: str) -> Reading:
    comments = text.count("<!--")
    noun = "comment" if comments == 1 else "comments"
    unseen = f"{comments} {noun} that the rendered page does not show, kept"
    return Reading(text=text, warnings=(unseen,) if comments else ())


def _read_svg(text: str) -> Reading:
    return structured.read_xml(text, with_attributes=False)


_TEXT_READERS: dict[FileFormat, Callable[[str], Reading]] = {
    FileFormat.TEXT: _as_it_is,
    FileFormat.MARKDOWN: _read_markdown,
    FileFormat.CSV: _as_it_is,
    FileFormat.TSV: _as_it_is,
    FileFormat.CALENDAR: calendars.read_calendar,
    FileFormat.JSON: structured.read_json,
    FileFormat.JSON_LINES: structured.read_json_lines,
    FileFormat.NOTEBOOK: structured.read_notebook,
    FileFormat.XML: structured.read_xml,
    FileFormat.SVG: _read_svg,
    FileFormat.HTML: markup.read_html,
}


def _declared_charset(content: bytes) -> str:
    head = content[:_DECLARATION_BYTES]
    match = _XML_CHARSET.search(head) or _HTML_CHARSET.search(head)
    return match[1].decode("ascii", "ignore") if match else ""


def _require_magic(file: RawFile, magic: bytes) -> None:
    """Refuse a file whose name promises a format that its bytes are not."""
    if magic in file.content[:1024]:
        return
    suffix = Path(file.name).suffix
    kind = "a web page" if b"<html" in file.content[:1024].lower() else "something else"
    message = f"The file is named {suffix} but holds {kind}: get it again from where it came from"
    raise RefusedFileError(message)


def _load(path: Path, limits: ExtractionLimits) -> bytes:
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            message = "This is a folder, not a file"
            raise RefusedFileError(message)
        if not stat.S_ISREG(status.st_mode):
            message = "This is a device or a pipe, not a file"
            raise RefusedFileError(message)
        if status.st_size > limits.max_file_bytes:
            message = (
                f"The file has {status.st_size / 1e6:.0f} MB, more than the"
                f" {limits.max_file_bytes / 1e6:.0f} MB allowed: split it"
            )
            raise RefusedFileError(message)
        return path.read_bytes()
    except FileNotFoundError as error:
        message = "There is no file at this path"
        raise RefusedFileError(message) from error
    except PermissionError as error:
        message = "The file may not be read: check its permissions"
        raise RefusedFileError(message) from error
    except (OSError, ValueError) as error:
        message = f"The file cannot be opened: {error}"
        raise RefusedFileError(message) from error


def _has_text(text: str) -> bool:
    """Tell whether there is a letter, digit or pictograph, not only rules, marks and blanks."""
    return any(
        letter.isalnum() or (unicodedata.category(letter) == "So" and letter != "\ufffd")
        for letter in text
    )


def _to_extraction(reading: Reading, mime_type: str, limits: ExtractionLimits) -> Extraction:
    text, warnings = _bounded(reading.text, reading.warnings, limits)
    return Extraction(
        status=ExtractionStatus.OK,
        text=text,
        encoding=reading.encoding,
        mime_type=reading.mime_type or mime_type,
        warnings=warnings,
        metadata=_valid(reading.metadata),
        attachments=tuple(_to_attachment(each, limits) for each in reading.attachments),
    )


def _to_attachment(attachment: Attachment, limits: ExtractionLimits) -> Attachment:
    text, warnings = _bounded(attachment.text, attachment.warnings, limits)
    return replace(
        attachment,
        name=valid_unicode(attachment.name),
        text=text,
        warnings=warnings,
        metadata=_valid(attachment.metadata),
    )


def _bounded(
    text: str, warnings: tuple[str, ...], limits: ExtractionLimits
) -> tuple[str, tuple[str, ...]]:
    text = valid_unicode(text)
    warnings = tuple(map(valid_unicode, warnings))
    if len(text) <= limits.max_characters:
        return text, warnings
    cut = f"Only the first {limits.max_characters} characters were taken"
    return text[: limits.max_characters], (*warnings, cut)


def _valid(metadata: Mapping[str, str]) -> dict[str, str]:
    return {key: valid_unicode(value) for key, value in metadata.items()}
