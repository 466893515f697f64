"""Reads exports too large to hold: row by row from the file, as often as asked."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from knowledge.ingestion.packed import open_text
from knowledge.ingestion.rows import (
    MAX_CELL_CHARACTERS,
    Row,
    RowFormat,
    RowTable,
    UnboundedTableError,
    UnreadableRecordError,
    flat_record,
    load_json,
    read_records,
    row_of_cells,
    sniff_delimiter,
    told_lines,
    unique_columns,
)

SAMPLE_CHARACTERS = 1_000_000
MAX_NAMED_FAULTS = 100
TOO_LONG = f"longer than {MAX_CELL_CHARACTERS} characters"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextFile:
    """A file of text in a known encoding; what cannot be read in it becomes U+FFFD."""

    path: Path
    encoding: str

    def open(self, newline: str = "") -> TextIO:
        """Open it for reading from the start, past a byte order mark."""
        stream = open_text(self.path, encoding=self.encoding, newline=newline)
        if stream.read(1) != "\ufeff":
            stream.seek(0)
        return stream

    def sample(self) -> str:
        """Return the beginning, in whole lines."""
        with self.open() as stream:
            beginning = stream.read(SAMPLE_CHARACTERS)
            return beginning + stream.readline(MAX_CELL_CHARACTERS)


def bounded_lines(stream: TextIO) -> Iterator[str]:
    """Yield the lines of a file; of one too long to be held, enough to see that it is."""
    while line := stream.readline(MAX_CELL_CHARACTERS + 1):
        yield line
        while is_too_long(line) and not line.endswith("\n"):
            line = stream.readline(MAX_CELL_CHARACTERS + 1)


def is_too_long(line: str) -> bool:
    """Tell whether a line has more characters than are read of one."""
    return len(line) > MAX_CELL_CHARACTERS


def _table_lines(stream: TextIO) -> Iterator[str]:
    """Yield the lines of a table. Raises UnboundedTableError for one too long: it has no end."""
    for number, line in enumerate(bounded_lines(stream), start=1):
        if is_too_long(line):
            message = f"line {number}: {TOO_LONG}."
            raise UnboundedTableError(message, field="text")
        yield line


class StreamedRows:
    """Rows that are read anew whenever they are asked for."""

    def __init__(self, read: Callable[[], Iterator[Row]], *, count: int) -> None:
        self._read = read
        self._count = count

    def __iter__(self) -> Iterator[Row]:
        return self._read()

    def __len__(self) -> int:
        return self._count

    def __contains__(self, row: object) -> bool:
        return any(each == row for each in self)


def stream_rows(file: TextFile, row_format: RowFormat) -> RowTable:
    """Look through a file once; its rows are read from it when they are needed."""
    if row_format is RowFormat.JSON_LINES:
        return _stream_json_lines(file)
    delimiter = "\t" if row_format is RowFormat.TSV else sniff_delimiter(file.sample())
    return _stream_delimited(file, delimiter)


def _stream_delimited(file: TextFile, delimiter: str) -> RowTable:
    with file.open() as stream:
        records = read_records(_table_lines(stream), delimiter)
        header = next(records, None)
        if header is None:
            return RowTable(columns=(), rows=(), warnings=("no rows",))
        columns, warnings = unique_columns(header[1])
        short: list[int] = []
        long: list[int] = []
        count = widest = damaged = 0
        for line, cells in records:
            count += 1
            widest = max(widest, len(cells))
            damaged += any("\ufffd" in cell for cell in cells)
            if len(cells) != len(columns):
                (short if len(cells) < len(columns) else long).append(line)
    if short:
        warnings.append(f"{told_lines(short)}: fewer cells than columns; the rest counts as empty")
    if long:
        warnings.append(f"{told_lines(long)}: more cells than columns; kept as column N")
    more = [f"column {number + 1}" for number in range(len(columns), widest)]

    def read() -> Iterator[Row]:
        with file.open() as again:
            found = read_records(_table_lines(again), delimiter)
            next(found, None)
            for line, cells in found:
                yield row_of_cells(line, cells, columns)

    table = RowTable(
        columns=(*columns, *more), rows=StreamedRows(read, count=count), warnings=tuple(warnings)
    )
    return _with_damage(table, damaged)


def _stream_json_lines(file: TextFile) -> RowTable:
    columns: dict[str, None] = {}
    faults: list[str] = []
    count = left_out = damaged = 0
    for line, record in _json_records(file):
        if isinstance(record, str):
            left_out += 1
            if left_out <= MAX_NAMED_FAULTS:
                faults.append(f"line {line} left out: {record}")
            continue
        count += 1
        columns.update(dict.fromkeys(record))
        damaged += any("\ufffd" in value for value in record.values())
    if left_out > MAX_NAMED_FAULTS:
        faults.append(f"{left_out - MAX_NAMED_FAULTS} more lines left out")

    def read() -> Iterator[Row]:
        for line, record in _json_records(file):
            if not isinstance(record, str):
                yield Row(line=line, values=record)

    table = RowTable(
        columns=tuple(columns),
        rows=StreamedRows(read, count=count),
        warnings=tuple(faults if count else [*faults, "no rows"]),
        unreadable_count=left_out,
    )
    return _with_damage(table, damaged)


def _json_records(file: TextFile) -> Iterator[tuple[int, dict[str, str] | str]]:
    """Yield the number of each line with its record, or with why it has none."""
    # Only \n ends a record: a JSON string may hold the other line ends as they are.
    with file.open(newline="\n") as stream:
        for line, written in enumerate(bounded_lines(stream), start=1):
            if is_too_long(written):
                yield line, TOO_LONG
                continue
            if not written.strip():
                continue
            try:
                yield line, flat_record(load_json(written))
            except UnreadableRecordError as error:
                yield line, str(error)


def _with_damage(table: RowTable, damaged: int) -> RowTable:
    if not damaged:
        return table
    warning = f"{damaged} rows hold characters that could not be read in the encoding of the file"
    return replace(table, warnings=(*table.warnings, warning))
