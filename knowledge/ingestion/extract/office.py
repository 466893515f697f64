"""What Office Open XML files share: safe XML parts, relations, properties, drawing texts."""

import posixpath
import re
import zipfile
from collections.abc import Iterator
from xml.etree import ElementTree as ET

from knowledge.ingestion.extract.archive import open_zip
from knowledge.ingestion.extract.engine import read_with_engine
from knowledge.ingestion.extract.errors import RefusedFileError
from knowledge.ingestion.extract.formats import FileFormat
from knowledge.ingestion.extract.reading import RawFile, Reading

_PROPERTIES = {
    "title": ("title",),
    "author": ("creator",),
    "published_at": ("modified", "created"),
    "language": ("language",),
}
_PARAGRAPH_PARTS = {
    FileFormat.PPTX: (
        ("", re.compile(r"ppt/slides/slide\d+\.xml")),
        ("Diagram", re.compile(r"ppt/diagrams/data\d*\.xml")),
        ("Notes", re.compile(r"ppt/notesSlides/notesSlide\d+\.xml")),
        ("Comments", re.compile(r"ppt/comments/.*\.xml")),
        ("Chart", re.compile(r"ppt/charts/chart[\w-]*\.xml")),
    ),
    FileFormat.XLSX: (
        ("Drawing", re.compile(r"xl/drawings/drawing\d+\.xml")),
        ("Diagram", re.compile(r"xl/diagrams/data\d*\.xml")),
        ("Comments", re.compile(r"xl/(?:comments[\w/]*|threadedComments/.*)\.xml")),
        ("Chart", re.compile(r"xl/charts/chart[\w-]*\.xml")),
    ),
}
_SLIDE_RULE = re.compile(r"^-{5,}$", re.MULTILINE)
_MIDNIGHT = re.compile(r"(\| \d{4}-\d\d-\d\d) 00:00:00(?= \|)")


def read_office(file: RawFile, file_format: FileFormat) -> Reading:
    """Read a presentation or workbook: the engine's text, then what it leaves out."""
    engine = read_with_engine(file.content, file_format)
    text = _MIDNIGHT.sub(r"\1", _SLIDE_RULE.sub("", engine.text)).strip()
    with open_zip(file.content) as archive:
        metadata = read_properties(archive)
        missing = list(find_missing(archive, file_format, text))
    return Reading(
        text="\n\n".join(part for part in (text, *missing) if part),
        metadata=metadata,
        if_blank="The file holds no text, only pictures or empty pages",
    )


def parse_part(archive: zipfile.ZipFile, name: str) -> ET.Element | None:
    """Parse one XML part; None when the archive has none of that name or it is empty."""
    try:
        content = archive.read(name)
    except KeyError:
        return None
    if not content.strip():
        return None
    try:
        return ET.fromstring(content)  # noqa: S314 - entities were refused by check_zip
    except ET.ParseError as error:
        message = "The file is damaged and cannot be read: open it, save it anew and try again"
        raise RefusedFileError(message) from error


def parse_optional_part(archive: zipfile.ZipFile, name: str) -> ET.Element | None:
    """Parse a part that a document can do without; None also when it is damaged."""
    try:
        return parse_part(archive, name)
    except RefusedFileError:
        return None


def local_name(element: ET.Element) -> str:
    """Return the tag without its namespace, which differs between strict and transitional files."""
    return element.tag.rpartition("}")[2]


def child_named(element: ET.Element | None, name: str) -> ET.Element | None:
    """Return the first child of a local name; None when there is none, or no element."""
    children = element if element is not None else ()
    return next((child for child in children if local_name(child) == name), None)


def attribute(element: ET.Element, name: str) -> str:
    """Return an attribute by its local name, empty when absent."""
    for key, value in element.attrib.items():
        if key == name or key.endswith("}" + name):
            return value
    return ""


def read_properties(archive: zipfile.ZipFile) -> dict[str, str]:
    """Return title, author, date and language that the document states."""
    core = parse_optional_part(archive, "docProps/core.xml")
    if core is None:
        return {}
    stated = {local_name(element): (element.text or "").strip() for element in core}
    described = {
        key: next((stated[name] for name in names if stated.get(name)), "")
        for key, names in _PROPERTIES.items()
    }
    return {key: value for key, value in described.items() if value}


def related_parts(archive: zipfile.ZipFile, part: str) -> Iterator[tuple[str, str]]:
    """Yield (kind, part name) of the parts a part refers to, in file order; external ones never."""
    folder, name = posixpath.split(part)
    relations = parse_optional_part(archive, posixpath.join(folder, "_rels", f"{name}.rels"))
    for relation in relations if relations is not None else ():
        if relation.get("TargetMode") == "External":
            continue
        kind = relation.get("Type", "").rpartition("/")[2]
        target = relation.get("Target", "")
        path = target.lstrip("/") if target.startswith("/") else posixpath.join(folder, target)
        yield kind, posixpath.normpath(path)


def find_missing(archive: zipfile.ZipFile, file_format: FileFormat, text: str) -> Iterator[str]:
    """Yield the blocks of drawings, diagrams, notes and comments that `text` does not hold."""
    known = _squeeze(text)
    names = archive.namelist()
    for heading, pattern in _PARAGRAPH_PARTS[file_format]:
        missing = []
        for name in sorted((name for name in names if pattern.fullmatch(name)), key=_numbered):
            root = parse_optional_part(archive, name)
            for paragraph in _paragraphs(root) if root is not None else ():
                squeezed = _squeeze(paragraph)
                if squeezed and squeezed not in known:
                    known += "\n" + squeezed
                    missing.append(paragraph)
        if missing:
            yield "\n\n".join((f"## {heading}", *missing) if heading else missing)


def _numbered(name: str) -> tuple[int, str]:
    digits = re.search(r"(\d+)\.xml$", name)
    return (int(digits[1]) if digits else 0, name)


def _paragraphs(root: ET.Element) -> Iterator[str]:
    """Yield the paragraphs of drawings, comments and charts."""
    for element in root.iter():
        name = local_name(element)
        if name in {"p", "text", "comment"} and not (name == "comment" and len(element) == 0):
            yield "".join(_runs(element)).strip()
        elif name in {"title", "ser", "cat"} and element.tag.endswith(f"chart}}{name}"):
            yield " ".join(
                cell.text.strip()
                for cell in element.iter()
                if local_name(cell) == "v" and cell.text
            )


def _runs(paragraph: ET.Element) -> Iterator[str]:
    if paragraph.text and local_name(paragraph) == "text":
        yield paragraph.text
    for element in paragraph.iter():
        name = local_name(element)
        if name == "t" and element.text:
            yield element.text
        elif name == "br":
            yield "\n"


def _squeeze(text: str) -> str:
    return "".join(letter for letter in text.lower() if letter.isalnum())
