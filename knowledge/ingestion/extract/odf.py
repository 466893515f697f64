"""OpenDocument texts as Markdown: without deleted passages, with notes and comments."""

from collections.abc import Iterator
from xml.etree import ElementTree as ET

from knowledge.ingestion.extract.archive import open_zip
from knowledge.ingestion.extract.engine import read_with_engine
from knowledge.ingestion.extract.errors import RefusedFileError
from knowledge.ingestion.extract.formats import FileFormat
from knowledge.ingestion.extract.office import (
    attribute,
    local_name,
    parse_optional_part,
    parse_part,
)
from knowledge.ingestion.extract.reading import RawFile, Reading

_SKIPPED = {"tracked-changes", "forms", "sequence-decls", "variable-decls", "user-field-decls"}
_MAX_REPEATS = 200


def read_open_document(file: RawFile, file_format: FileFormat) -> Reading:
    """Read texts and slides ourselves, sheets by the engine."""
    with open_zip(file.content) as archive:
        manifest = (
            archive.read("META-INF/manifest.xml") if _has_manifest(archive.namelist()) else b""
        )
        if b"encryption-data" in manifest:
            message = "The file is protected by a password: save it without one"
            raise RefusedFileError(message)
        metadata = _describe(parse_optional_part(archive, "meta.xml"))
        if file_format is FileFormat.ODS:
            engine = read_with_engine(file.content, file_format)
            return Reading(text=engine.text, metadata=metadata or engine.metadata)
        root = parse_part(archive, "content.xml")
        if root is None:
            message = "The file is not a complete OpenDocument file: open it, save it anew"
            raise RefusedFileError(message)
        margins = _read_margins(parse_optional_part(archive, "styles.xml"))
    text = "\n\n".join((*_blocks(root), *margins))
    return Reading(text=text, metadata=metadata, if_blank="The document holds no text")


def _has_manifest(names: list[str]) -> bool:
    return "META-INF/manifest.xml" in names


def _describe(root: ET.Element | None) -> dict[str, str]:
    if root is None:
        return {}
    stated = {local_name(element): (element.text or "").strip() for element in root.iter()}
    described = {
        "title": stated.get("title"),
        "author": stated.get("creator") or stated.get("initial-creator"),
        "published_at": stated.get("date") or stated.get("creation-date"),
        "language": stated.get("language"),
    }
    return {key: value for key, value in described.items() if value}


def _read_margins(styles: ET.Element | None) -> list[str]:
    """Return the distinct headers and footers of the master pages."""
    margins: dict[str, None] = {}
    for element in styles.iter() if styles is not None else ():
        name = local_name(element)
        if name in {"header", "footer"}:
            text = "\n".join(_blocks(element))
            if text.strip():
                margins[f"{name.title()}:\n{text}"] = None
    return list(margins)


def _blocks(container: ET.Element, level: int = 0) -> Iterator[str]:
    for element in container:
        name = local_name(element)
        if name in _SKIPPED:
            continue
        if name == "h":
            depth = attribute(element, "outline-level")
            yield from _paragraph(
                element, "#" * min(int(depth) if depth.isdecimal() else 1, 6) + " "
            )
        elif name == "p":
            yield from _paragraph(element)
        elif name == "list":
            yield from _list_blocks(element, level)
        elif name == "table":
            yield from _table(element)
        elif name == "notes":
            yield from _notes(element)
        else:
            yield from _blocks(element, level)


def _notes(element: ET.Element) -> Iterator[str]:
    """Read what the speaker of a slide is to say."""
    notes = list(_blocks(element))
    if notes:
        yield "\n\n".join(("Notes:", *notes))


def _paragraph(element: ET.Element, prefix: str = "") -> Iterator[str]:
    notes: list[str] = []
    text = "".join(_inline(element, notes)).strip()
    if text:
        yield prefix + text
    yield from (note for note in notes if note.strip())


def _list_blocks(element: ET.Element, level: int) -> Iterator[str]:
    for entry in element:
        blocks = list(_blocks(entry, level + 1))
        if blocks and not blocks[0].lstrip().startswith("- "):
            blocks[0] = "  " * level + "- " + blocks[0]
        yield from blocks


def _inline(element: ET.Element, notes: list[str]) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        name = local_name(child)
        if name == "s":
            count = attribute(child, "c")
            yield " " * min(int(count) if count.isdecimal() else 1, _MAX_REPEATS)
        elif name == "tab":
            yield "\t"
        elif name == "line-break":
            yield "\n"
        elif name in {"note", "annotation", "text-box"}:
            notes.append(_aside(child))
        elif name not in {"ruby-text", "tracked-changes"}:
            yield from _inline(child, notes)
        yield child.tail or ""


def _aside(element: ET.Element) -> str:
    """Read a note, comment or box; their text stands after the paragraph they belong to."""
    if local_name(element) == "annotation":
        author = next((child.text for child in element if local_name(child) == "creator"), "") or ""
        text = "\n".join(_blocks(element))
        return f"Comment by {author}: {text}" if author else f"Comment: {text}"
    return "\n\n".join(_blocks(element))


def _table(element: ET.Element) -> Iterator[str]:
    rows = [list(_row_cells(row)) for row in element.iter() if local_name(row) == "table-row"]
    rows = [row for row in rows if any(row)]
    if not rows:
        return
    width = max(map(len, rows))
    lines = ["| " + " | ".join(row + [""] * (width - len(row))) + " |" for row in rows]
    lines.insert(1, "|" + " --- |" * width)
    yield "\n".join(lines)


def _row_cells(row: ET.Element) -> Iterator[str]:
    for cell in row:
        if local_name(cell) not in {"table-cell", "covered-table-cell"}:
            continue
        repeats = attribute(cell, "number-columns-repeated")
        text = " ".join(" ".join(_blocks(cell)).split()).replace("|", "\\|")
        # Empty cells are repeated to the edge of the sheet: they carry nothing.
        count = int(repeats) if text and repeats.isdecimal() else 1
        for _ in range(min(count, _MAX_REPEATS)):
            yield text
