"""JSON, JSON lines, notebooks and XML as readable lines."""

import html
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any
from xml.parsers import expat

from knowledge.ingestion.extract.decode import valid_unicode
from knowledge.ingestion.extract.errors import RefusedFileError
from knowledge.ingestion.extract.reading import Reading

_MAX_NESTING = 200
_MAX_LISTED_WARNINGS = 20
_TAG = re.compile(r"<[^<>]*>")
_TOO_DEEP = "The file is nested too deeply to be read"


def read_json(text: str) -> Reading:
    """Render a JSON document as `key: value` lines; text that is no JSON stays as it is."""
    try:
        document = _load_json(text)
    except ValueError:
        lines = read_json_lines(text)
        if lines.text and len(lines.warnings) == 0:
            return lines
        return Reading(text=text, warnings=("The file is not valid JSON: taken as plain text",))
    return Reading(text=_render_json(document))


def read_json_lines(text: str) -> Reading:
    """Render one JSON value a line; lines that do not parse are skipped with a warning."""
    records: list[str] = []
    bad_lines: list[int] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            records.append(_render_json(_load_json(line)))
        except ValueError:
            bad_lines.append(number)
    if not records:
        return Reading(text=text, warnings=("No line is valid JSON: taken as plain text",))
    return Reading(text="\n\n".join(records), warnings=_name_bad_lines(bad_lines))


def read_notebook(text: str) -> Reading:
    """Read the cells of a Jupyter notebook: prose as it is, code and output fenced."""
    try:
        document = _load_json(text)
        cells = document["cells"]
        blocks = [block for cell in cells for block in _render_cell(cell)]
    except (ValueError, KeyError, TypeError, AttributeError):
        return read_json(text)
    return Reading(text="\n\n".join(blocks))


def read_xml(text: str, *, with_attributes: bool = True) -> Reading:
    """Read element by element as `name: text` lines; no entity is ever expanded or fetched."""
    reader = _XmlReader(with_attributes=with_attributes)
    try:
        reader.feed(text)
    except expat.ExpatError as error:
        warning = f"The XML is not well-formed (line {error.lineno}): only its plain text was taken"
        stripped = html.unescape(_TAG.sub("\n", text))
        return Reading(text=stripped, warnings=(warning, *reader.warnings))
    return Reading(text="\n".join(reader.lines), warnings=tuple(reader.warnings))


def _load_json(text: str) -> Any:
    try:
        # Numbers stay as written: nothing is rounded, and no digit run is too long.
        return json.loads(text, parse_int=str, parse_float=str)
    except RecursionError as error:
        raise RefusedFileError(_TOO_DEEP) from error


def _name_bad_lines(numbers: list[int]) -> tuple[str, ...]:
    warnings = [f"Line {number} is not valid JSON and was skipped" for number in numbers]
    if len(warnings) > _MAX_LISTED_WARNINGS:
        more = len(warnings) - _MAX_LISTED_WARNINGS
        warnings = [*warnings[:_MAX_LISTED_WARNINGS], f"{more} more lines were skipped"]
    return tuple(warnings)


def _render_json(value: Any) -> str:
    return valid_unicode("\n".join(_json_lines(value, 0)))


def _json_lines(value: Any, level: int) -> Iterator[str]:
    if level > _MAX_NESTING:
        raise RefusedFileError(_TOO_DEEP)
    indent = "  " * level
    for key, entry in _json_entries(value):
        if isinstance(entry, dict | list):
            if key:
                yield f"{indent}{key}:"
            yield from _json_lines(entry, level + 1)
        else:
            mark = f"{key}: " if key else "- " if isinstance(value, list) else ""
            yield indent + mark + _json_scalar(entry)


def _json_entries(value: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(value, dict):
        return value.items()
    if isinstance(value, list):
        return (("", entry) for entry in value)
    return (("", value),)


def _json_scalar(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _render_cell(cell: dict[str, Any]) -> Iterator[str]:
    source = _joined(cell.get("source", ""))
    if cell.get("cell_type") != "code":
        yield source
        return
    yield f"```\n{source}\n```"
    for output in cell.get("outputs", []):
        shown = output.get("text") or output.get("data", {}).get("text/plain", "")
        if shown:
            yield valid_unicode(_joined(shown))


def _joined(source: str | list[str]) -> str:
    return valid_unicode(source if isinstance(source, str) else "".join(source))


class _XmlReader:
    """Collects the text of elements; one that has only attributes shows those."""

    def __init__(self, *, with_attributes: bool) -> None:
        self.lines: list[str] = []
        self.warnings: list[str] = []
        self._with_attributes = with_attributes
        self._open: list[tuple[str, list[str], dict[str, str]]] = []
        self._parser = expat.ParserCreate("utf-8")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.EntityDeclHandler = self._declare_entity
        # A plain default handler is what keeps expat from expanding internal entities.
        self._parser.DefaultHandler = self._ignore

    def feed(self, text: str) -> None:
        self._parser.Parse(text.lstrip("\ufeff \t\r\n").encode(), True)  # noqa: FBT003 - expat takes it by position

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._open) > _MAX_NESTING:
            raise RefusedFileError(_TOO_DEEP)
        self._open.append((name, [], attributes))

    def _end(self, name: str) -> None:
        _, parts, attributes = self._open.pop()
        text = " ".join("".join(parts).split())
        if text and self._open and "".join(self._open[-1][1]).strip():
            self._open[-1][1].append(text)
        elif text:
            self.lines.append(f"{name.rpartition(':')[2]}: {text}")
        elif self._with_attributes and attributes:
            shown = [
                value for key, value in attributes.items() if not key.startswith(("xmlns", "xsi:"))
            ]
            if shown:
                self.lines.append(f"{name.rpartition(':')[2]}: {', '.join(shown)}")

    def _text(self, text: str) -> None:
        if self._open:
            self._open[-1][1].append(text)

    def _declare_entity(self, *declaration: object) -> None:
        if not self.warnings:
            self.warnings.append("The file declares XML entities: they were not expanded")

    def _ignore(self, text: str) -> None:
        """Drop comments, instructions and entity references."""
