"""Exports, packed or not: files of which each row is a document."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from crmind.exceptions import InvalidInputError
from knowledge.conf import knowledge_settings
from knowledge.exceptions import MappingError
from knowledge.ingestion.connectors.files import FoundFile
from knowledge.ingestion.extract.decode import decode_text
from knowledge.ingestion.extract.errors import RefusedFileError
from knowledge.ingestion.packed import inner_suffix, open_bytes, unpacked_size
from knowledge.ingestion.row_mapping import EXTERNAL_ID, TEXT, resolve_mapping
from knowledge.ingestion.row_stream import TextFile, stream_rows
from knowledge.ingestion.rows import MAX_CELL_CHARACTERS, RowFormat, RowTable, read_rows

FORMAT_BY_SUFFIX = {
    ".csv": RowFormat.CSV,
    ".tsv": RowFormat.TSV,
    ".tab": RowFormat.TSV,
    ".jsonl": RowFormat.JSON_LINES,
    ".ndjson": RowFormat.JSON_LINES,
    ".json": RowFormat.JSON,
}
# Larger files of these are read row by row, never as a whole.
STREAMED = frozenset({RowFormat.CSV, RowFormat.TSV, RowFormat.JSON_LINES})
STREAMED_BYTES = 16 * 1024 * 1024
SAMPLE_BYTES = 1024 * 1024
# A JSON list is read as a whole, and takes up to twenty times its size of memory.
JSON_LIST_BYTES = 32 * 1024 * 1024
PLAIN_ENCODINGS = frozenset({"ascii", "utf-8-sig"})
# Without a mapping these are read as exports only where their columns speak for it.
SELF_EVIDENT = frozenset({RowFormat.CSV, RowFormat.TSV, RowFormat.JSON_LINES})


def is_table(path: Path) -> bool:
    """Tell by its name whether a file may hold rows."""
    return inner_suffix(path) in FORMAT_BY_SUFFIX


def read_table(path: Path) -> RowTable:
    """Read every row of a file; of a large one, as they are asked for.

    Raises RefusedFileError or InvalidDocumentError.
    """
    kind = FORMAT_BY_SUFFIX[inner_suffix(path)]
    settings = knowledge_settings()
    limit = settings.max_export_bytes if kind in STREAMED else settings.max_file_bytes
    try:
        size = unpacked_size(path, limit=limit)
        if kind in STREAMED and size > STREAMED_BYTES:
            _check_size(size, limit)
            return _stream_table(path, kind)
        if kind is RowFormat.JSON:
            _check_size(size, JSON_LIST_BYTES, "export it as JSON lines, one object a line")
        _check_size(size, settings.max_file_bytes)
        with open_bytes(path) as stream:
            content = stream.read()
    except OSError as error:
        message = f"The file cannot be read ({error.strerror})."
        raise RefusedFileError(message) from error
    decoded = decode_text(content)
    table = read_rows(decoded.text, kind)
    return replace(table, warnings=(*decoded.warnings, *table.warnings))


def _check_size(size: int, limit: int, remedy: str = "") -> None:
    if size > limit:
        told = f"The file is larger than {limit // 1024**2} MB"
        message = f"{told}: {remedy}." if remedy else f"{told}."
        raise RefusedFileError(message)


def _stream_table(path: Path, kind: RowFormat) -> RowTable:
    """Read a large file row by row; its encoding is told from its beginning."""
    with open_bytes(path) as stream:
        beginning = stream.read(SAMPLE_BYTES) + stream.readline(MAX_CELL_CHARACTERS)
    decoded = decode_text(beginning)
    encoding = "utf-8" if decoded.encoding in PLAIN_ENCODINGS else decoded.encoding
    table = stream_rows(TextFile(path=path, encoding=encoding), kind)
    return replace(table, warnings=(*decoded.warnings, *table.warnings))


def may_be_self_evident(path: Path) -> bool:
    """Tell whether files of this kind are ever read row by row without a mapping."""
    return FORMAT_BY_SUFFIX[inner_suffix(path)] in SELF_EVIDENT


def is_self_evident(table: RowTable) -> bool:
    """Tell whether the columns of a file show, without a mapping, that its rows are documents."""
    if not table.rows:
        return False
    guessed = resolve_mapping(table, {}).columns
    return EXTERNAL_ID in guessed and TEXT in guessed


def check_mapping(files: tuple[FoundFile, ...], mapping: Mapping[str, str]) -> None:
    """Raise MappingError for a mapping that fits none of the files."""
    if not mapping:
        return
    tables = [file for file in files if is_table(file.path)]
    if not tables:
        message = "map: none of the files is a CSV, TSV, JSON or JSON lines file."
        raise MappingError(message, field="map")
    misfit: MappingError | None = None
    for file in tables:
        try:
            resolve_mapping(read_table(file.path), mapping)
        except MappingError as error:
            misfit = misfit or error
        except InvalidInputError:
            continue
        else:
            return
    if misfit is not None:
        raise misfit
