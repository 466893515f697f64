"""PDF: the complete text in reading order, with the headings that layout analysis confirms."""

import re

from knowledge.ingestion.extract.engine import read_with_engine
from knowledge.ingestion.extract.errors import RefusedFileError
from knowledge.ingestion.extract.ocr import read_scan
from knowledge.ingestion.extract.reading import RawFile, Reading

_BULLET = re.compile(r"^[ \t]*[●•▪■◦○‣\u2043∙\uf0b7\uf0a7][ \t]+", re.MULTILINE)
_HYPHENATED = re.compile(r"\b([^\W\d_]{2,})[-\u2010]([a-zà-öø-ÿ]{2,})\b")
_WORD = re.compile(r"[^\W\d_]{4,}")
_HEADING = re.compile(r"^(#{1,6}) (.{3,150})$", re.MULTILINE)
# Layout analysis costs several times the reading; beyond this size only the text is taken.
_MAX_LAYOUT_CHARACTERS = 400_000
_MAX_HEADING_SHARE = 0.2
_MAX_HEADING_LINES = 3
_NO_TEXT_LAYER = "The PDF has no text layer: it is a scan or pictures only, and needs OCR first"


def read_pdf(file: RawFile) -> Reading:
    """Read the text layer; a locked or damaged file raises RefusedFileError.

    The engine's Markdown drops and reorders lines of some pages, so the text comes from its plain
    output and only headings found word for word there are marked.
    """
    plain = read_with_engine(file.content, "application/pdf", output="plain")
    if plain.page_count > file.limits.max_pages:
        message = (
            f"The PDF has {plain.page_count} pages, more than the {file.limits.max_pages} allowed:"
            " split it"
        )
        raise RefusedFileError(message)
    text = _join_hyphenated(plain.text.replace("\r\n", "\n").replace("\ufffe", "-"))
    text = "\n".join(line.rstrip() for line in text.split("\n"))
    if not any(map(str.isalnum, text)):
        return read_scan(file, "application/pdf", otherwise=_NO_TEXT_LAYER)
    if len(text) <= _MAX_LAYOUT_CHARACTERS:
        text = _mark_headings(text, _find_headings(file.content))
    return Reading(text=_BULLET.sub("- ", text), metadata=plain.metadata)


def _join_hyphenated(text: str) -> str:
    """Join `ef-ficient` where the document itself writes `efficient` elsewhere."""
    words = {word.lower() for word in _WORD.findall(text)}

    def join(match: re.Match[str]) -> str:
        whole = match[1] + match[2]
        return whole if whole.lower() in words else match[0]

    return _HYPHENATED.sub(join, text)


def _find_headings(content: bytes) -> dict[str, str]:
    try:
        layout = read_with_engine(content, "application/pdf", output="markdown").text
    except RefusedFileError:
        return {}
    return {_squeeze(match[2]): match[1] for match in _HEADING.finditer(layout)}


def _mark_headings(text: str, headings: dict[str, str]) -> str:
    lines = text.split("\n")
    marked: list[str] = []
    count = 0
    place = 0
    while place < len(lines):
        taken = _heading_length(lines[place : place + _MAX_HEADING_LINES], headings)
        if taken:
            title = " ".join(line.strip() for line in lines[place : place + taken])
            marked += ["", f"{headings[_squeeze(title)]} {title}", ""]
            count += 1
        else:
            marked.append(lines[place])
        place += max(1, taken)
    # Pages of large print make everything a heading, which then means nothing.
    return "\n".join(marked) if count <= len(lines) * _MAX_HEADING_SHARE else text


def _heading_length(lines: list[str], headings: dict[str, str]) -> int:
    """Return how many of the lines make up one heading, 0 when they do not begin with one."""
    if not lines[0].strip():
        return 0
    for count in range(1, len(lines) + 1):
        if _squeeze(" ".join(lines[:count])) in headings:
            return count
    return 0


def _squeeze(text: str) -> str:
    return "".join(letter for letter in text.lower() if letter.isalnum())
