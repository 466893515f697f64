"""Reads and writes the golden set as CSV, and as questions and judgements in BEIR layout. Pure."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from retrieval.exceptions import DatasetError, InvalidFilterError
from retrieval.query.moments import parse_moment

MOST_LINES = 100_000
LONGEST_CELL = 20_000
REQUIRED = ("question",)
LISTS = ("sources", "types")
LIMITS = ("entity", *LISTS, "since", "until")
COLUMNS = (
    "question",
    "source",
    "document",
    "grade",
    "answerable",
    "expected_answer",
    "as_of",
    "access_tags",
    *LIMITS,
)
QUERIES, QRELS = "queries.jsonl", "qrels.tsv"
QREL_COLUMNS = ("query-id", "corpus-id", "score")
_ANSWERABLE = {"": None, "yes": True, "true": True, "1": True}
_ANSWERABLE |= {"no": False, "false": False, "0": False}
# Spreadsheets take a cell that begins so for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
# What the database does not hold: NUL, and halves of characters, which JSON can name.
_NO_TEXT = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenLine:
    """One line: a question with its limits and, where it names one, a judged document.

    `place` says where the line stands. An empty `document` adds the question alone; whether it is
    answerable is None where the line does not say, and stays as it is known then.
    """

    place: str
    question: str
    source: str = ""
    document: str = ""
    grade: int | None = None
    is_answerable: bool | None = None
    expected_answer: str = ""
    as_of: str = ""
    access_tags: tuple[str, ...] = ()
    limits: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What is wrong with a line, and where it stands."""

    place: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenFile:
    """The lines of a file that can be read, and what is wrong with the others."""

    lines: tuple[GoldenLine, ...]
    faults: tuple[Fault, ...]


def read_csv(text: str) -> GoldenFile:
    """Return the lines of a CSV file with a header. Raises DatasetError for a file that is none."""
    readers = [
        (f"line {number}", partial(_from_cells, row, f"line {number}"))
        for number, row in _csv_rows(text)
    ]
    return _collect(readers)


def read_beir(queries: str, qrels: str) -> GoldenFile:
    """Return a line per judgement, and one per question without any. Raises DatasetError."""
    questions: dict[str, dict[str, Any]] = {}
    faults: list[Fault] = []
    # Not splitlines(): that also parts at characters which JSON leaves as they are.
    for number, line in enumerate(queries.split("\n"), start=1):
        if line.strip():
            try:
                row = _json_object(line)
                questions[str(row["_id"])] = row
            except DatasetError as error:
                faults.append(Fault(place=f"{QUERIES}, line {number}", message=error.message))
    judged: set[str] = set()
    readers: list[tuple[str, Callable[[], GoldenLine]]] = []
    for number, row in _table(qrels, QREL_COLUMNS, name=QRELS, delimiter="\t"):
        place = f"{QRELS}, line {number}"
        judged.add(row["query-id"])
        readers.append((place, _reader(questions, row, place)))
    for key in questions:
        if key not in judged:
            place = f"{QUERIES}, question {key}"
            readers.append((place, _reader(questions, {"query-id": key}, place)))
    if len(readers) > MOST_LINES:
        message = (
            f"{QRELS} and the questions it does not judge make {len(readers):,} lines;"
            f" {MOST_LINES:,} are allowed. Split them."
        )
        raise DatasetError(message, field="qrels")
    read = _collect(readers)
    return GoldenFile(lines=read.lines, faults=(*faults, *read.faults))


def write_csv(lines: Iterable[GoldenLine]) -> str:
    """Return the lines as CSV with a header."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for line in lines:
        writer.writerow([_guarded(cell) for cell in _cells(line)])
    return out.getvalue()


def write_beir(lines: Iterable[GoldenLine]) -> dict[str, str]:
    """Return the contents of the two files by name; documents are named `source/external id`."""
    ids: dict[tuple[Any, ...], str] = {}
    queries, qrels = [], ["\t".join(QREL_COLUMNS)]
    for line in lines:
        identity = (
            line.question.casefold(),
            line.as_of,
            line.access_tags,
            json.dumps(line.limits, sort_keys=True),
        )
        if identity not in ids:
            ids[identity] = f"q{len(ids) + 1}"
            row = {"_id": ids[identity], "text": line.question, "metadata": _metadata(line)}
            queries.append(json.dumps(row, ensure_ascii=False))
        if line.document:
            document = f"{line.source}/{line.document}" if line.source else line.document
            qrels.append("\t".join((ids[identity], _one_cell(document), str(line.grade))))
    return {QUERIES: "\n".join([*queries, ""]), QRELS: "\n".join([*qrels, ""])}


def _collect(readers: Iterable[tuple[str, Callable[[], GoldenLine]]]) -> GoldenFile:
    lines: list[GoldenLine] = []
    faults: list[Fault] = []
    for place, read in readers:
        try:
            lines.append(read())
        except DatasetError as error:
            faults.append(Fault(place=place, message=error.message))
    return GoldenFile(lines=tuple(lines), faults=tuple(faults))


def _csv_rows(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    header = text.lstrip("\ufeff").split("\n", 1)[0]
    delimiter = max(",;\t", key=header.count)
    return _table(text.lstrip("\ufeff"), REQUIRED, name="The file", delimiter=delimiter)


def _table(
    text: str, required: Sequence[str], *, name: str, delimiter: str
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the number and the cells by column of each line that is not empty."""
    # What is parted by tabs takes quotation marks as they stand.
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=delimiter,
        quoting=csv.QUOTE_NONE if delimiter == "\t" else csv.QUOTE_MINIMAL,
    )
    try:
        header = [cell.strip().casefold() for cell in next(reader, [])]
        missing = [column for column in required if column not in header]
        if missing:
            message = f"{name} has no column {' and no column '.join(missing)} in its first line."
            raise DatasetError(message, field="file")
        for count, cells in enumerate(reader):
            if count >= MOST_LINES:
                message = f"{name} has more than {MOST_LINES:,} lines. Split it."
                raise DatasetError(message, field="file")
            if any(cell.strip() for cell in cells):
                yield reader.line_num, dict(zip(header, map(_unguarded, cells), strict=False))
    except csv.Error as error:
        message = f"{name} cannot be read as a table near line {reader.line_num}: {error}."
        raise DatasetError(message, field="file") from error


def _from_cells(row: Mapping[str, str], place: str) -> GoldenLine:
    cells = {name: row.get(name, "").strip() for name in COLUMNS}
    for name, cell in cells.items():
        if len(cell) > LONGEST_CELL:
            message = f"{name} has {len(cell):,} characters; {LONGEST_CELL:,} are allowed."
            raise DatasetError(message, field=name)
        if _NO_TEXT.search(cell):
            message = f"{name} holds characters that are no text (NUL, or half of one)."
            raise DatasetError(message, field=name)
    limits: dict[str, Any] = {
        name: _listed(cells[name]) if name in LISTS else cells[name]
        for name in LIMITS
        if cells[name]
    }
    return GoldenLine(
        place=place,
        question=_question(cells["question"]),
        source=cells["source"],
        document=cells["document"],
        grade=_grade(cells["grade"], cells["document"]),
        is_answerable=_answerable(cells["answerable"]),
        expected_answer=cells["expected_answer"],
        as_of=_moment(cells["as_of"], "as_of"),
        access_tags=tuple(sorted(_listed(cells["access_tags"]))),
        limits={
            name: _moment(value, name) if name in ("since", "until") else value
            for name, value in limits.items()
        },
    )


def _reader(
    questions: Mapping[str, Mapping[str, Any]], row: Mapping[str, str], place: str
) -> Callable[[], GoldenLine]:
    def read() -> GoldenLine:
        query = questions.get(row["query-id"])
        if query is None:
            message = f"query-id {row['query-id']!r} is not among the questions of {QUERIES}."
            raise DatasetError(message, field="query-id")
        metadata = query.get("metadata") or {}
        cells = {name: _as_cell(metadata.get(name)) for name in COLUMNS}
        cells |= {"question": str(query["text"]), "document": row.get("corpus-id", "")}
        cells |= {"grade": row.get("score", ""), "source": ""}
        return _from_cells(cells, place)

    return read


def _json_object(line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError as error:
        message = f"This is not JSON ({error})."
        raise DatasetError(message) from error
    if not isinstance(row, dict) or not {"_id", "text"} <= row.keys():
        message = "An object with _id and text is expected."
        raise DatasetError(message)
    if _NO_TEXT.search(str(row["_id"])):
        message = "_id holds characters that are no text (NUL, or half of one)."
        raise DatasetError(message)
    if not isinstance(row.get("metadata") or {}, dict):
        message = "metadata has to be an object."
        raise DatasetError(message)
    return row


def _question(text: str) -> str:
    if not text:
        message = "The question is empty."
        raise DatasetError(message, field="question")
    return text


def _grade(text: str, document: str) -> int | None:
    if not document:
        return None
    try:
        grade = int(text)
    except ValueError:
        grade = -1
    if not 0 <= grade <= 3:  # noqa: PLR2004 # the grades there are
        message = f"grade is {text!r}; it may be 0, 1, 2 or 3."
        raise DatasetError(message, field="grade")
    return grade


def _answerable(text: str) -> bool | None:
    if text.casefold() in _ANSWERABLE:
        return _ANSWERABLE[text.casefold()]
    message = f"answerable is {text!r}; it may be yes or no."
    raise DatasetError(message, field="answerable")


def _moment(text: str, name: str) -> str:
    if text:
        try:
            parse_moment(text, field=name)
        except InvalidFilterError as error:
            raise DatasetError(error.message, field=name) from error
    return text


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(";") if part.strip()]


def _cells(line: GoldenLine) -> list[str]:
    values: dict[str, Any] = {
        "question": line.question,
        "source": line.source,
        "document": line.document,
        "grade": "" if line.grade is None else line.grade,
        "answerable": line.is_answerable,
        "expected_answer": line.expected_answer,
        "as_of": line.as_of,
        "access_tags": list(line.access_tags),
        **line.limits,
    }
    return [_as_cell(values.get(name)) for name in COLUMNS]


def _metadata(line: GoldenLine) -> dict[str, Any]:
    values: dict[str, Any] = {
        "answerable": line.is_answerable,
        "expected_answer": line.expected_answer,
        "as_of": line.as_of,
        "access_tags": list(line.access_tags),
        **line.limits,
    }
    return {name: value for name, value in values.items() if value or value is False}


def _as_cell(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case list() | tuple():
            return "; ".join(map(str, value))
        case _:
            return str(value)


def _guarded(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def _unguarded(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell


def _one_cell(text: str) -> str:
    return " ".join(text.split())
