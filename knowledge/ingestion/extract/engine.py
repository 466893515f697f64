"""The one place that calls kreuzberg, which reads the binary formats."""

import contextlib
import os
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from knowledge.ingestion.extract.captions import picture_note
from knowledge.ingestion.extract.errors import RefusedFileError

_ESCAPED = re.compile(r"\\([!-{}~/])")
_FENCE = re.compile(r"^(```|~~~)")
_LINE_START_MARK = re.compile(r"^\s*\\(?:#{1,6}\s|>\s|[-+*]\s|-{3}|={3})")
_PICTURE = re.compile(r"!\[((?:[^\[\]\n]|\[[^\[\]\n]*\])*)\]\((?:[^()\n]|\([^()\n]*\))*\)")
_LINK = re.compile(
    r"\[([^\[\]\n]+)\]\((?:[#/.][^()\s]*|[\w./-]{1,200}\.x?html?[^()\s]*)(?: \"[^\"\n]*\")?\)"
)
_EMPTY_LINK = re.compile(r"\[\s*\]\([^()\s]*\)")
_UNDERLINE = re.compile(r"</?u>")
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n){2,}")
_CHARACTER_REFERENCE = re.compile(r"&#(\d{1,7});")


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineReading:
    """Text and what the file says of itself."""

    text: str
    metadata: dict[str, str] = field(default_factory=dict)
    attachments: tuple[str, ...] = ()
    page_count: int = 0


def read_with_engine(
    content: bytes, mime_type: str, *, output: Literal["markdown", "plain"] = "markdown"
) -> EngineReading:
    """Read one file in memory, without OCR, cache or network; raise RefusedFileError if damaged."""
    import kreuzberg  # noqa: PLC0415 - a native library of 100 MB, loaded only by the reader process

    config = kreuzberg.ExtractionConfig(
        use_cache=False,
        disable_ocr=True,  # type: ignore[call-arg]  # missing in the stubs of kreuzberg 4.10
        enable_quality_processing=False,
        output_format=output,
        content_filter=kreuzberg.ContentFilterConfig(
            include_headers=True, include_footers=True, strip_repeating_text=False
        ),
    )
    try:
        result = kreuzberg.extract_bytes_sync(content, mime_type, config)
    except (kreuzberg.KreuzbergError, RuntimeError, ValueError, OSError) as error:
        raise RefusedFileError(_explain(error)) from error
    text = result.content
    if output == "markdown":
        text = plain_markdown(text)
    metadata: dict[str, object] = dict(result.metadata)
    return EngineReading(
        text=text,
        metadata=_describe(metadata),
        attachments=_attachment_names(metadata),
        page_count=_whole_number(metadata.get("page_count")),
    )


def recognise_text(
    content: bytes, mime_type: str, *, languages: str, data_folder: Path
) -> EngineReading:
    """Recognise the text of pictures by the engine's Tesseract; raise RefusedFileError."""
    import kreuzberg  # noqa: PLC0415 - as above

    # Without it the engine would fetch data for the language.
    os.environ["TESSDATA_PREFIX"] = str(data_folder)
    config = kreuzberg.ExtractionConfig(
        use_cache=False,
        force_ocr=True,
        output_format="plain",
        ocr=kreuzberg.OcrConfig(
            backend="tesseract",
            language=languages,
            tesseract_config=kreuzberg.TesseractConfig(language=languages, use_cache=False),
        ),
    )
    try:
        result = kreuzberg.extract_bytes_sync(content, mime_type, config)
    except (kreuzberg.KreuzbergError, RuntimeError, ValueError, OSError) as error:
        raise RefusedFileError(_explain(error)) from error
    return EngineReading(text=result.content, metadata=_describe(dict(result.metadata)))


def load_pdf_library() -> None:
    """Let the engine unpack and load its PDF library, while this process may still write.

    It unpacks the library into the temporary folder at the first PDF and keeps it there for all
    processes. A folder of our own keeps out what somebody else may have put under that name; once
    the library is loaded its file is no longer needed.
    """
    before = os.environ.get("TMPDIR")
    with tempfile.TemporaryDirectory(prefix="crmind-reader-") as folder:
        os.environ["TMPDIR"] = folder
        with contextlib.suppress(RefusedFileError):
            read_with_engine(b"%PDF-1.7\n", "application/pdf", output="plain")
    if before is None:
        del os.environ["TMPDIR"]
    else:
        os.environ["TMPDIR"] = before


def plain_markdown(text: str) -> str:
    """Take out of Markdown what only a renderer needs: escapes, pictures, links within the page."""
    lines: list[str] = []
    fenced = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
        lines.append(line if fenced else _plain_line(line))
    return _BLANK_LINES.sub("\n\n", "\n".join(lines))


def _plain_line(line: str) -> str:
    if "](" in line:
        line = _PICTURE.sub(_picture_caption, line.replace("\\![", "!["))
        line = _EMPTY_LINK.sub("", _LINK.sub(r"\1", line))
    if "<" in line:
        line = _UNDERLINE.sub("", line)
    if "&#" in line:
        line = _CHARACTER_REFERENCE.sub(_character, line)
    if "\\" not in line:
        return line
    mark = _LINE_START_MARK.match(line)
    kept = mark.end() if mark else 0
    return line[:kept] + _ESCAPED.sub(r"\1", line[kept:])


def _picture_caption(match: re.Match[str]) -> str:
    return picture_note(match[1])


def _character(match: re.Match[str]) -> str:
    code = int(match[1])
    return chr(code) if 0 < code < 0xD800 else ""  # noqa: PLR2004 - first surrogate


def _describe(metadata: dict[str, object]) -> dict[str, str]:
    """Name the engine's metadata as `Extraction.metadata` does."""
    authors = metadata.get("authors")
    described = {
        "title": metadata.get("title") or metadata.get("subject"),
        "author": ", ".join(map(str, authors)) if isinstance(authors, list) else "",
        "published_at": metadata.get("modified_at") or metadata.get("created_at"),
        "language": metadata.get("language"),
    }
    return {key: str(value).strip() for key, value in described.items() if value}


def _whole_number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _attachment_names(metadata: dict[str, object]) -> tuple[str, ...]:
    names = metadata.get("attachments")
    return tuple(map(str, names)) if isinstance(names, list) else ()


def _explain(error: Exception) -> str:
    message = str(error).lower()
    if "password" in message or "encrypt" in message:
        return "The file is protected by a password: save it without one"
    if "unsupported" in message:
        return "This kind of file cannot be read: save it as PDF, DOCX or text"
    return "The file is damaged and cannot be read: open it, save it anew and try again"
