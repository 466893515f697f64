"""Turns rows into documents: which column fills which field."""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from knowledge.exceptions import MappingError
from knowledge.ingestion.fields import FIELD_BY_KEY, read_fields, read_names
from knowledge.ingestion.naming import fitting_id
from knowledge.ingestion.rows import Row, RowTable
from knowledge.ingestion.types import ParsedDocument, UnreadableDocument

EXTERNAL_ID = "external_id"
TEXT = "text"
ENTITIES = "entities"
MAPPABLE_FIELDS = (EXTERNAL_ID, TEXT, *FIELD_BY_KEY)
MAX_NAMED_REPLACEMENTS = 1000

# Header names without case and signs, best first.
_GUESSES: dict[str, tuple[str, ...]] = {
    EXTERNAL_ID: (
        "externalid", "recordid", "id", "uuid", "guid", "key", "ticketid", "caseid", "casenumber",
        "ticketnumber", "number", "docid", "documentid", "articleid", "messageid",
    ),
    "title": ("title", "subject", "name", "headline", "summary", "question"),
    TEXT: (
        "body", "text", "content", "description", "notes", "note", "message", "comment",
        "comments", "details", "transcript", "answer", "conversation",
    ),
    "url": ("url", "link", "website", "permalink", "sourceurl"),
    "published_at": (
        "publishedat", "published", "updatedat", "updated", "lastmodified", "modified",
        "lastmodifieddate", "createdat", "created", "createddate", "date", "timestamp",
    ),
}  # fmt: skip
# What the text keeps as a line even when it fills a field: people search for it.
_ALSO_IN_TEXT = frozenset({EXTERNAL_ID, ENTITIES})
# Fields that several columns may fill together.
_JOINED = frozenset({TEXT, ENTITIES})


@dataclass(frozen=True, slots=True, kw_only=True)
class RowMapping:
    """The columns that fill each field.

    `keeps_other_columns`: the columns that fill no field become lines `Column: value` of the text.
    """

    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    keeps_other_columns: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class MappedRows:
    """One document for each row, in order."""

    documents: Collection[ParsedDocument | UnreadableDocument]
    warnings: tuple[str, ...] = ()


def parse_mapping(arguments: Iterable[str]) -> dict[str, str]:
    """Read `FIELD=COLUMN` arguments. Raises MappingError naming the one that is wrong."""
    mapping: dict[str, str] = {}
    for argument in arguments:
        name, equals, column = (part.strip() for part in argument.partition("="))
        if not equals or not column:
            message = f"map: {argument!r} is not FIELD=COLUMN, such as text=body"
            raise MappingError(message, field="map")
        if name not in MAPPABLE_FIELDS:
            message = f"map: {name!r} is no field; the fields are {', '.join(MAPPABLE_FIELDS)}"
            raise MappingError(message, field="map")
        if name in mapping:
            message = f"map: {name!r} is given twice; join columns of text and entities with +"
            raise MappingError(message, field="map")
        mapping[name] = column
    return mapping


def resolve_mapping(table: RowTable, mapping: Mapping[str, str]) -> RowMapping:
    """Find the columns of `mapping` in `table`, and guess those of the fields it leaves out.

    With a column for the text, the text is that column alone. Raises MappingError for a column
    that does not exist, listing those that do.
    """
    chosen = {
        name: _find_columns(table.columns, name=name, written=column)
        for name, column in mapping.items()
    }
    used = {column for columns in chosen.values() for column in columns}
    guessed = {
        name: (column,)
        for name in _GUESSES
        if name not in chosen and (column := _guess_column(table, name=name, used=used))
    }
    return RowMapping(columns={**guessed, **chosen}, keeps_other_columns=TEXT not in mapping)


def map_rows(table: RowTable, mapping: Mapping[str, str]) -> MappedRows:
    """Return one document for each row of `table`. Raises MappingError for a wrong column.

    Where two rows share an external id, the later one counts.
    """
    resolved = resolve_mapping(table, mapping)
    warnings = list(table.warnings)
    last_line: dict[str, int] = {}
    replaced = 0
    for row in table.rows:
        external_id = _external_id(row, resolved)
        if external_id in last_line:
            replaced += 1
            if replaced <= MAX_NAMED_REPLACEMENTS:
                warnings.append(f"line {row.line}: replaces an earlier row {external_id!r}")
        last_line[external_id] = row.line
    if replaced > MAX_NAMED_REPLACEMENTS:
        warnings.append(f"{replaced - MAX_NAMED_REPLACEMENTS} more rows replace earlier ones")
    documents: Collection[ParsedDocument | UnreadableDocument] = MappedDocuments(
        rows=table.rows, mapping=resolved, last_line=last_line
    )
    if isinstance(table.rows, tuple):
        documents = tuple(documents)
    return MappedRows(documents=documents, warnings=tuple(warnings))


@dataclass(frozen=True, slots=True, kw_only=True)
class MappedDocuments:
    """The documents of rows, made as they are asked for; of equal ids the last."""

    rows: Collection[Row]
    mapping: RowMapping
    last_line: Mapping[str, int]

    def __iter__(self) -> Iterator[ParsedDocument | UnreadableDocument]:
        for row in self.rows:
            if self.last_line[_external_id(row, self.mapping)] == row.line:
                yield map_row(row, self.mapping)

    def __len__(self) -> int:
        return len(self.last_line)

    def __contains__(self, document: object) -> bool:
        return any(each == document for each in self)


def map_row(row: Row, mapping: RowMapping) -> ParsedDocument | UnreadableDocument:
    """Return the document of one row; without an id, one is derived from what the row holds."""
    written: dict[str, object] = {
        name: value for name in FIELD_BY_KEY if (value := _mapped_value(row, mapping, name=name))
    }
    if ENTITIES in written:
        written[ENTITIES] = _entity_names(row, mapping)
    reading = read_fields(written)
    external_id = _external_id(row, mapping)
    fields = reading.fields
    text = _text(row, mapping)
    if not text and not fields.title:
        reason = f"line {row.line} has no text"
        return UnreadableDocument(external_id=external_id, reason=reason)
    return ParsedDocument(
        external_id=external_id,
        text=text or fields.title,
        title=fields.title,
        url=fields.url,
        source_type=fields.source_type,
        language=fields.language,
        published_at=fields.published_at,
        valid_from=fields.valid_from,
        valid_until=fields.valid_until,
        supersedes=fields.supersedes,
        trust=fields.trust,
        entities=fields.entities,
        access_tags=fields.access_tags,
        metadata=_unmapped_values(row, mapping),
        warnings=reading.warnings,
    )


def _external_id(row: Row, mapping: RowMapping) -> str:
    written = _mapped_value(row, mapping, name=EXTERNAL_ID)
    return fitting_id(written) or _derived_id(row.values)


def _find_columns(columns: Sequence[str], *, name: str, written: str) -> tuple[str, ...]:
    whole = _find_column(columns, written)
    if whole is not None:
        return (whole,)
    found: list[str] = []
    for part in written.split("+") if name in _JOINED else [written]:
        column = _find_column(columns, part.strip())
        if column is None:
            listed = ", ".join(columns) or "none"
            message = f"map: {name}: no column {part.strip()!r}; the columns are {listed}"
            raise MappingError(message, field="map")
        found.append(column)
    return tuple(found)


def _find_column(columns: Sequence[str], written: str) -> str | None:
    if written in columns:
        return written
    alike = [column for column in columns if column.casefold() == written.casefold()]
    return alike[0] if len(alike) == 1 else None


def _guess_column(table: RowTable, *, name: str, used: set[str]) -> str | None:
    by_name = {_bare(column): column for column in reversed(table.columns) if column not in used}
    for guess in _GUESSES[name]:
        column = by_name.get(guess)
        if column and (name != EXTERNAL_ID or _is_unique(table, column)):
            return column
    return None


def _bare(column: str) -> str:
    return "".join(filter(str.isalnum, column.casefold()))


def _is_unique(table: RowTable, column: str) -> bool:
    seen: set[str] = set()
    for row in table.rows:
        value = row.values.get(column, "")
        if not value or value in seen:
            return False
        seen.add(value)
    return True


def _mapped_value(row: Row, mapping: RowMapping, *, name: str) -> str:
    values = (row.values.get(column, "") for column in mapping.columns.get(name, ()))
    return "\n\n".join(filter(None, values))


def _entity_names(row: Row, mapping: RowMapping) -> tuple[str, ...]:
    """Return the names of each column: what parts them in one need not in another."""
    columns = mapping.columns.get(ENTITIES, ())
    return tuple(name for column in columns for name in read_names(row.values.get(column, "")))


def _text(row: Row, mapping: RowMapping) -> str:
    body = _mapped_value(row, mapping, name=TEXT)
    if not mapping.keeps_other_columns:
        return body
    in_fields = {
        column
        for name, columns in mapping.columns.items()
        if name not in _ALSO_IN_TEXT
        for column in columns
    }
    lines = "\n".join(
        f"{column}: {value}"
        for column, value in row.values.items()
        if value and column not in in_fields
    )
    return "\n\n".join(filter(None, (body, lines)))


def _unmapped_values(row: Row, mapping: RowMapping) -> dict[str, str]:
    mapped = {column for columns in mapping.columns.values() for column in columns}
    return {column: value for column, value in row.values.items() if value and column not in mapped}


def _derived_id(values: Mapping[str, str]) -> str:
    canonical = json.dumps(dict(values), sort_keys=True, ensure_ascii=False)
    return f"row-{hashlib.sha256(canonical.encode('utf-8', 'surrogatepass')).hexdigest()[:20]}"
