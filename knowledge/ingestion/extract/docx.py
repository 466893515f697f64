"""Word documents as Markdown: the accepted view of tracked changes, boxes, notes and comments."""

import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from xml.etree import ElementTree as ET

from knowledge.ingestion.extract.archive import open_zip
from knowledge.ingestion.extract.captions import picture_note
from knowledge.ingestion.extract.docx_hiding import HiddenText, is_run_faint, is_run_hidden
from knowledge.ingestion.extract.docx_styles import DocumentStyles, ListCounter
from knowledge.ingestion.extract.errors import RefusedFileError
from knowledge.ingestion.extract.office import (
    attribute,
    child_named,
    local_name,
    parse_optional_part,
    parse_part,
    read_properties,
    related_parts,
)
from knowledge.ingestion.extract.reading import RawFile, Reading

# Deleted text, its formatting, field codes and phonetic guides are not part of what is read.
_SKIPPED = {"del", "moveFrom", "delText", "instrText", "rPr", "pPr", "rt", "sectPr", "tblPr"}
_CHARACTERS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
# Formulas become linear text: a/b, x^2, x_1.
_FORMULA_MARKS = {"den": "/", "sup": "^", "sub": "_"}
_NOTE_REFERENCES = {"footnoteReference": "footnotes", "endnoteReference": "endnotes"}
_BLOCKS = {"p", "tbl"}


def read_docx(file: RawFile) -> Reading:
    """Read body, headers and footers, notes and comments of a Word document."""
    with open_zip(file.content) as archive:
        main = next(
            (name for kind, name in related_parts(archive, "") if kind == "officeDocument"),
            "word/document.xml",
        )
        root = parse_part(archive, main)
        if root is None:
            message = "The file is not a complete Word document: open it, save it anew"
            raise RefusedFileError(message)
        hidden = HiddenText()
        blocks = list(_read_document(archive, main, root, hidden))
        metadata = read_properties(archive)
    return Reading(
        text="\n\n".join(blocks),
        metadata=metadata,
        warnings=tuple(hidden.warnings),
        if_blank="The document holds no text, only pictures or blank pages",
    )


def _read_document(
    archive: zipfile.ZipFile, main: str, root: ET.Element, hidden: HiddenText
) -> Iterator[str]:
    related = list(related_parts(archive, main))
    parts = {kind: name for kind, name in related if kind not in {"header", "footer"}}
    styles = DocumentStyles.load(
        parse_optional_part(archive, parts.get("styles", "word/styles.xml")),
        parse_optional_part(archive, parts.get("numbering", "word/numbering.xml")),
    )
    notes = {
        kind: _read_notes(archive, parts.get(kind, ""), styles)
        for kind in _NOTE_REFERENCES.values()
    }
    yield from _BlockReader(styles, notes, hidden).read(root)
    for kind in ("header", "footer"):
        names = [name for related_kind, name in related if related_kind == kind]
        margin = _read_margins(archive, names, styles)
        if margin:
            yield "\n".join((f"{kind.title()}:", *margin))
    comments = parse_optional_part(archive, parts.get("comments", ""))
    if comments is not None and len(comments):
        yield "## Comments"
        for comment in comments:
            text = "\n".join(_BlockReader(styles).read(comment))
            author = attribute(comment, "author")
            yield f"{author}: {text}" if author else text


def _read_margins(
    archive: zipfile.ZipFile, names: Iterable[str], styles: DocumentStyles
) -> list[str]:
    """Return the distinct blocks of headers or footers, which pages mostly repeat."""
    blocks: dict[str, None] = {}
    for name in names:
        root = parse_optional_part(archive, name)
        if root is not None:
            blocks.update(dict.fromkeys(_BlockReader(styles).read(root)))
    return list(blocks)


def _read_notes(archive: zipfile.ZipFile, name: str, styles: DocumentStyles) -> dict[str, str]:
    """Map the ids of footnotes or endnotes to their text."""
    root = parse_optional_part(archive, name) if name else None
    notes: dict[str, str] = {}
    for note in root if root is not None else ():
        if attribute(note, "type") in {"separator", "continuationSeparator", "continuationNotice"}:
            continue
        notes[attribute(note, "id")] = "\n".join(_BlockReader(styles).read(note)).strip()
    return notes


@dataclass(slots=True)
class _Line:
    """Text of one paragraph and the text boxes anchored in it."""

    pieces: list[str] = field(default_factory=list)
    boxes: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.pieces).strip()


class _BlockReader:
    """Reads paragraphs and tables in document order."""

    def __init__(
        self,
        styles: DocumentStyles,
        notes: Mapping[str, Mapping[str, str]] | None = None,
        hidden: HiddenText | None = None,
    ) -> None:
        self._styles = styles
        self._notes = notes or {}
        self._hidden = hidden or HiddenText()
        self._paragraph_style = ""
        self._depth_of_tables = 0
        self._counter = ListCounter(styles)
        self._merged_before: list[str] = []

    def read(self, container: ET.Element) -> Iterator[str]:
        """Yield one Markdown block for each paragraph, text box and table."""
        for block in _blocks(container):
            if local_name(block) == "tbl":
                yield from self._read_table(block)
            else:
                yield from self._read_paragraph(block)

    def _read_paragraph(self, paragraph: ET.Element) -> Iterator[str]:
        line = _Line(pieces=self._merged_before)
        properties = child_named(paragraph, "pPr")
        style = child_named(properties, "pStyle")
        self._paragraph_style = attribute(style, "val") if style is not None else ""
        self._collect(paragraph, line)
        if _is_mark_deleted(properties):
            # A deleted paragraph mark joins the paragraph to the next one.
            self._merged_before = line.pieces
        else:
            self._merged_before = []
            if line.text:
                yield self._prefix(properties) + line.text
        yield from line.boxes

    def _prefix(self, properties: ET.Element | None) -> str:
        if properties is None:
            return ""
        style_id = self._paragraph_style
        level = self._styles.heading_level(style_id, child_named(properties, "outlineLvl"))
        numbering = child_named(properties, "numPr")
        label = self._counter.label(style_id, numbering)
        if level:
            return "#" * level + " " + label
        return label

    def _collect(self, element: ET.Element, line: _Line) -> None:
        for child in element:
            name = local_name(child)
            if name in _SKIPPED:
                continue
            if name == "t":
                line.pieces.append(child.text or "")
            elif name in _CHARACTERS:
                line.pieces.append(_CHARACTERS[name])
            elif name == "r":
                self._collect_run(child, line)
            else:
                self._collect_container(child, name, line)

    def _collect_run(self, run: ET.Element, line: _Line) -> None:
        if is_run_hidden(run, self._styles, paragraph_style=self._paragraph_style):
            self._hidden.hidden += _length(run)
            return
        # The colour of a cell may come from the style of the table.
        if not self._depth_of_tables and is_run_faint(run):
            self._hidden.faint += _length(run)
        self._collect(run, line)

    def _collect_container(self, child: ET.Element, name: str, line: _Line) -> None:
        if name in _NOTE_REFERENCES:
            note = self._notes.get(_NOTE_REFERENCES[name], {}).get(attribute(child, "id"))
            line.boxes += [f"Note: {note}"] if note else []
        elif name == "txbxContent":
            line.boxes.extend(_BlockReader(self._styles, self._notes, self._hidden).read(child))
        elif name == "AlternateContent":
            self._collect_alternative(child, line)
        elif name == "docPr":
            caption = attribute(child, "descr")
            if " " in caption.strip():
                line.boxes.append(picture_note(caption))
        else:
            line.pieces.append(_FORMULA_MARKS.get(name, ""))
            self._collect(child, line)

    def _collect_alternative(self, child: ET.Element, line: _Line) -> None:
        """Take one of the forms of the same drawing: the first that holds text."""
        for form in child:
            attempt = _Line()
            self._collect(form, attempt)
            if attempt.text or attempt.boxes:
                line.pieces += attempt.pieces
                line.boxes += attempt.boxes
                return

    def _read_table(self, table: ET.Element) -> Iterator[str]:
        self._depth_of_tables += 1
        yield from self._read_grid(table)
        self._depth_of_tables -= 1

    def _read_grid(self, table: ET.Element) -> Iterator[str]:
        rows = [row for row in _rows(table) if not _is_row_deleted(row)]
        if len(rows) == 1 and len(list(_cells(rows[0]))) == 1:
            yield from self.read(next(_cells(rows[0])))
            return
        grid: list[list[str]] = []
        for row in rows:
            above = grid[-1] if grid else []
            grid.append(self._read_row(row, above))
        width = max((len(cells) for cells in grid), default=0)
        if not any(any(cells) for cells in grid):
            return
        lines = ["| " + " | ".join(cells + [""] * (width - len(cells))) + " |" for cells in grid]
        lines.insert(1, "|" + " --- |" * width)
        yield "\n".join(lines)

    def _read_row(self, row: ET.Element, above: list[str]) -> list[str]:
        cells: list[str] = []
        for cell in _cells(row):
            properties = child_named(cell, "tcPr")
            merge = child_named(properties, "vMerge") if properties is not None else None
            span = child_named(properties, "gridSpan") if properties is not None else None
            if merge is not None and attribute(merge, "val") != "restart":
                text = above[len(cells)] if len(cells) < len(above) else ""
            else:
                text = _one_line(self.read(cell))
            cells += [text] * _to_int(attribute(span, "val") if span is not None else "")
        return cells


def _length(run: ET.Element) -> int:
    return sum(len((part.text or "").strip()) for part in run if local_name(part) == "t")


def _one_line(blocks: Iterable[str]) -> str:
    """Flatten the blocks of a cell; a table inside becomes its cells in reading order."""
    words: list[str] = []
    for block in blocks:
        for line in block.split("\n"):
            if line.startswith("| "):
                words += line.strip("| ").split(" | ")
            elif not line.startswith("| ---") and not line.startswith("|-"):
                words.append(line.replace("|", "\\|").lstrip("# "))
    return " ".join(word.strip() for word in words if word.strip() and word.strip() != "---")


def _blocks(container: ET.Element) -> Iterator[ET.Element]:
    """Yield paragraphs and tables in order, looking through content controls and insertions."""
    for child in container:
        name = local_name(child)
        if name in _BLOCKS:
            yield child
        elif name == "AlternateContent":
            yield from next((found for form in child if (found := list(_blocks(form)))), [])
        elif name not in _SKIPPED:
            yield from _blocks(child)


def _rows(table: ET.Element) -> Iterator[ET.Element]:
    yield from _descend(table, "tr")


def _cells(row: ET.Element) -> Iterator[ET.Element]:
    yield from _descend(row, "tc")


def _descend(element: ET.Element, wanted: str) -> Iterator[ET.Element]:
    """Yield nearest descendants of a name, looking through content controls."""
    for child in element:
        name = local_name(child)
        if name == wanted:
            yield child
        elif name not in _SKIPPED and name not in {"tc", "tr", "tbl", "p"}:
            yield from _descend(child, wanted)


def _is_mark_deleted(properties: ET.Element | None) -> bool:
    mark = child_named(properties, "rPr") if properties is not None else None
    return mark is not None and any(local_name(child) in {"del", "moveFrom"} for child in mark)


def _is_row_deleted(row: ET.Element) -> bool:
    properties = child_named(row, "trPr")
    return properties is not None and child_named(properties, "del") is not None


def _to_int(value: str) -> int:
    return min(int(value), 100) if value.isdecimal() and value != "0" else 1
