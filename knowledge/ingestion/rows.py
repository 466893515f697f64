"""Reads exports of a CRM or a help desk: CSV, TSV, JSON lines and JSON lists."""

import csv
import io
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from knowledge.exceptions import InvalidDocumentError

DELIMITERS = (",", ";", "\t", "|")
MAX_FLATTENED_DEPTH = 3
MAX_NAMED_LINES = 5
# As many as a spreadsheet can hold.
MAX_COLUMNS = 16_384
# A quotation mark that is never closed takes in all the rest of a file.
MAX_CELL_CHARACTERS = 20_000_000

csv.field_size_limit(MAX_CELL_CHARACTERS)

_TOO_DEEP = "nested too deeply"
_NO_OBJECT = "not an object"


class RowFormat(StrEnum):
    """How the rows of a file are written."""

    CSV = "csv"
    TSV = "tsv"
    JSON_LINES = "jsonl"
    JSON = "json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One record; `line` is where it begins in the file (in a JSON list: its number, from 1)."""

    line: int
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowTable:
    """The records of one file and their columns in the order of first appearance.

    `unreadable_count` is how many records were left out, as nobody could tell what they say.
    """

    columns: tuple[str, ...]
    rows: Collection[Row]
    warnings: tuple[str, ...] = ()
    unreadable_count: int = 0


class UnboundedTableError(InvalidDocumentError):
    """A table has a row or a line beyond all measure: it is damaged, or made to do harm."""


class UnreadableRecordError(ValueError):
    """One record cannot be read; the message is the reason."""


def read_rows(text: str, row_format: str) -> RowTable:
    """Read every record of `text`; a line that cannot be read is left out with a warning.

    Raises InvalidDocumentError for a format that is not a RowFormat and for a JSON file that is
    no list of objects.
    """
    try:
        kind = RowFormat(row_format)
    except ValueError as error:
        message = f"format {row_format!r} is none of {', '.join(RowFormat)}"
        raise InvalidDocumentError(message, field="format") from error
    text = text.removeprefix("\ufeff")
    match kind:
        case RowFormat.CSV:
            return _read_delimited(text, sniff_delimiter(text))
        case RowFormat.TSV:
            return _read_delimited(text, "\t")
        case RowFormat.JSON_LINES:
            return _read_json_lines(text)
        case RowFormat.JSON:
            return _read_json(text)


def sniff_delimiter(text: str) -> str:
    """Return the delimiter that cuts most records of the whole file into equally many cells."""
    return max(DELIMITERS, key=lambda delimiter: _agreement(text, delimiter))


def _agreement(text: str, delimiter: str) -> tuple[float, int]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        widths = [len(cells) for cells in reader if cells]
    except csv.Error:
        return 0.0, 0
    if not widths or widths[0] == 1:
        return 0.0, 0
    return widths.count(widths[0]) / len(widths), widths[0]


def _read_delimited(text: str, delimiter: str) -> RowTable:
    records = read_records(io.StringIO(text, newline=""), delimiter)
    header = next(records, None)
    if header is None:
        return RowTable(columns=(), rows=(), warnings=("no rows",))
    columns, warnings = unique_columns(header[1])
    rows: list[Row] = []
    short: list[int] = []
    long: list[int] = []
    for line, cells in records:
        if len(cells) < len(columns):
            short.append(line)
        elif len(cells) > len(columns):
            long.append(line)
        rows.append(row_of_cells(line, cells, columns))
    if short:
        warnings.append(f"{told_lines(short)}: fewer cells than columns; the rest counts as empty")
    if long:
        warnings.append(f"{told_lines(long)}: more cells than columns; kept as column N")
    return _table(rows, warnings, columns=columns)


def row_of_cells(line: int, cells: Sequence[str], columns: Sequence[str]) -> Row:
    """Return the row of a record; cells beyond the columns are kept as column N."""
    names = [*columns, *map(_nameless, range(len(columns), len(cells)))]
    return Row(line=line, values=dict(zip(names, cells, strict=False)))


@lru_cache(maxsize=MAX_COLUMNS)
def _nameless(number: int) -> str:
    """Return the name of a column that has none; all rows share it."""
    return f"column {number + 1}"


def read_records(lines: Iterable[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line and the cells of each record that holds anything.

    Raises UnboundedTableError for one beyond what a table can hold.
    """
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    line = 1
    try:
        for cells in reader:
            _check_width(line, cells)
            stripped = [cell.strip() for cell in cells]
            if any(stripped):
                yield line, stripped
            line = reader.line_num + 1
    except csv.Error as error:
        message = f"line {line} cannot be read as a row ({error}): is a quotation mark left open?"
        raise UnboundedTableError(message, field="text") from error


def _check_width(line: int, cells: Sequence[str]) -> None:
    if len(cells) > MAX_COLUMNS:
        message = f"line {line} has {len(cells)} cells; a table may have {MAX_COLUMNS} columns."
        raise UnboundedTableError(message, field="text")


def unique_columns(header: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the names of columns, each once, and what had to be renamed."""
    columns: list[str] = []
    warnings: list[str] = []
    seen: Counter[str] = Counter()
    taken: set[str] = set()
    for number, written in enumerate(header):
        name = written or _nameless(number)
        seen[name] += 1
        while name in taken:
            name = f"{written} ({seen[written]})"
            seen[written] += 1
        if written and name != written:
            warnings.append(f"column {written!r} appears again; kept as {name!r}")
        columns.append(name)
        taken.add(name)
    return columns, warnings


def _read_json_lines(text: str) -> RowTable:
    rows: list[Row] = []
    warnings: list[str] = []
    # Only \n ends a record: a JSON string may hold the other line ends as they are.
    for line, written in enumerate(text.split("\n"), start=1):
        if not written.strip():
            continue
        try:
            rows.append(Row(line=line, values=flat_record(load_json(written))))
        except ValueError as error:
            warnings.append(f"line {line} left out: {error}")
    return replace(_table(rows, warnings), unreadable_count=len(warnings))


def _read_json(text: str) -> RowTable:
    try:
        loaded = load_json(text)
    except ValueError as error:
        message = f"not a JSON list: {error}"
        raise InvalidDocumentError(message, field="text") from error
    rows: list[Row] = []
    warnings: list[str] = []
    for number, record in enumerate(_record_list(loaded), start=1):
        try:
            rows.append(Row(line=number, values=flat_record(record)))
        except ValueError as error:
            warnings.append(f"record {number} left out: {error}")
    return replace(_table(rows, warnings), unreadable_count=len(warnings))


def _record_list(loaded: object) -> list[object]:
    """Return the list itself, or the one list of objects in an object such as `{"tickets": []}`."""
    if isinstance(loaded, list):
        return loaded
    if isinstance(loaded, dict):
        lists = [value for value in loaded.values() if isinstance(value, list)]
        if len(lists) == 1 and all(isinstance(record, dict) for record in lists[0]):
            return lists[0]
        return [loaded]
    message = "not a JSON list of objects"
    raise InvalidDocumentError(message, field="text")


def load_json(written: str) -> object:
    """Parse JSON with numbers as written. Raises ValueError with a short reason."""
    try:
        return json.loads(written, parse_int=str, parse_float=str, parse_constant=str)
    except json.JSONDecodeError as error:
        reason = f"{error.msg} at column {error.colno}"
        raise UnreadableRecordError(reason) from error
    except RecursionError as error:
        raise UnreadableRecordError(_TOO_DEEP) from error


def flat_record(record: object) -> dict[str, str]:
    """Return a record with nested objects as `outer.inner`."""
    if not isinstance(record, dict):
        raise UnreadableRecordError(_NO_OBJECT)
    return dict(_flat_pairs(record, depth=1))


def _flat_pairs(record: Mapping[str, object], *, depth: int) -> Iterator[tuple[str, str]]:
    for key, value in record.items():
        if isinstance(value, dict) and depth < MAX_FLATTENED_DEPTH:
            for inner_key, inner_value in _flat_pairs(value, depth=depth + 1):
                yield f"{key}.{inner_key}", inner_value
        else:
            yield key.strip(), _flat_value(value)


def _flat_value(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list) and all(isinstance(element, str) for element in value):
        return "; ".join(value)
    return _dumped(value)


def _dumped(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError as error:
        raise UnreadableRecordError(_TOO_DEEP) from error


def _table(
    rows: Sequence[Row], warnings: Sequence[str], *, columns: Iterable[str] = ()
) -> RowTable:
    known = dict.fromkeys(columns)
    for row in rows:
        known.update(dict.fromkeys(row.values))
    told = warnings if rows else [*warnings, "no rows"]
    return RowTable(columns=tuple(known), rows=tuple(rows), warnings=tuple(told))


def told_lines(lines: Sequence[int]) -> str:
    """Name a few of the lines, and how many more there are."""
    named = ", ".join(map(str, lines[:MAX_NAMED_LINES]))
    more = f" and {len(lines) - MAX_NAMED_LINES} more" if len(lines) > MAX_NAMED_LINES else ""
    return f"line{'' if len(lines) == 1 else 's'} {named}{more}"
