"""Reads an evaluation set in BEIR layout: corpus, questions and judgements."""

import csv
import gzip
import json
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO, cast

from retrieval.exceptions import DatasetError, InvalidFilterError
from retrieval.query.moments import end_of, parse_moment, start_of

FIELD = "directory"
ROW_KEYS = frozenset({"_id", "text"})


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityMention:
    """An entity as a document of the set names it."""

    kind: str
    external_id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusDocument:
    """One document of the set."""

    document_id: str
    title: str
    text: str
    source: str = ""
    source_type: str = ""
    url: str = ""
    published_at: datetime | None = None
    entities: tuple[EntityMention, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedQuestion:
    """One question; `as_of` is its "now", `entity` the external id it is limited to."""

    question_id: str
    text: str
    as_of: datetime | None = None
    entity: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """An evaluation set.

    `questions` have a document of grade 1 or more; `unanswerable` are those that the set says no
    document answers. `stale` are documents by question that answer it as of an earlier date.
    `entities` are known beside those that documents name.
    """

    name: str
    documents: tuple[CorpusDocument, ...]
    questions: tuple[JudgedQuestion, ...]
    judgements: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    unanswerable: tuple[JudgedQuestion, ...] = ()
    stale: Mapping[str, frozenset[str]] = field(default_factory=dict)
    entities: tuple[EntityMention, ...] = ()


def read_dataset(directory: Path, *, limit: int | None = None) -> Dataset:
    """Return the set in `directory`. Raises DatasetError.

    `limit` keeps that many questions of either sort, the documents judged for them, and as many
    others.
    """
    if not directory.is_dir():
        message = f"{directory} is not a folder. Give a folder with corpus, queries and qrels."
        raise DatasetError(message, field=FIELD)
    corpus, queries = (_find(directory, stem) for stem in ("corpus", "queries"))
    judgements = _read_judgements(directory / "qrels.tsv")
    rows = list(_rows(queries))
    questions = [_question(row) for row in rows if str(row["_id"]) in judgements]
    unanswerable = [_question(row) for row in rows if _is_unanswerable(row)]
    kept = questions[:limit]
    kept_judgements = {question.question_id: judgements[question.question_id] for question in kept}
    documents: Iterator[CorpusDocument] = map(_document, _rows(corpus))
    if limit is not None:
        documents = _sample(documents, kept_judgements, others=limit)
    return Dataset(
        name=directory.resolve().name,
        documents=tuple(documents),
        questions=tuple(kept),
        judgements=kept_judgements,
        unanswerable=tuple(unanswerable[:limit]),
        stale=_read_stale(directory / "stale.tsv"),
        entities=_read_entities(directory),
    )


def _sample(
    documents: Iterator[CorpusDocument], judgements: Mapping[str, Mapping[str, int]], *, others: int
) -> Iterator[CorpusDocument]:
    judged = {document for grades in judgements.values() for document in grades}
    for document in documents:
        if document.document_id in judged:
            yield document
        elif others > 0:
            others -= 1
            yield document


def _find(directory: Path, stem: str) -> Path:
    for name in (f"{stem}.jsonl", f"{stem}.jsonl.gz"):
        if (directory / name).is_file():
            return directory / name
    message = f"{directory} has no {stem}.jsonl or {stem}.jsonl.gz: it is not in BEIR layout."
    raise DatasetError(message, field=FIELD)


def _open(path: Path) -> TextIO:
    if path.suffix == ".gz":
        return cast("TextIO", gzip.open(path, "rt", encoding="utf-8"))
    return path.open(encoding="utf-8")


def _rows(path: Path, *, required: Set[str] = ROW_KEYS) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSON lines file, which have the `required` keys."""
    try:
        with _open(path) as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield _row(line, required, path=path, number=number)
    except (OSError, EOFError, UnicodeDecodeError) as error:
        message = f"{path} cannot be read: {error}."
        raise DatasetError(message, field=FIELD) from error


def _row(line: str, required: Set[str], *, path: Path, number: int) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        message = f"{path}, line {number}: not JSON ({error.msg})."
        raise DatasetError(message, field=FIELD) from error
    if not isinstance(row, dict) or not required <= row.keys():
        keys = " and ".join(sorted(required))
        message = f"{path}, line {number}: an object with {keys} is expected."
        raise DatasetError(message, field=FIELD)
    return row


def _read_judgements(path: Path) -> dict[str, dict[str, int]]:
    """Return the grades by question, without questions that nothing answers."""
    if not path.is_file():
        message = f"{path.parent} has no qrels.tsv: it is not in BEIR layout."
        raise DatasetError(message, field=FIELD)
    judgements = _read_grades(path)
    return {question: grades for question, grades in judgements.items() if max(grades.values()) > 0}


def _read_stale(path: Path) -> dict[str, frozenset[str]]:
    grades = _read_grades(path) if path.is_file() else {}
    return {question: frozenset(documents) for question, documents in grades.items()}


def _read_entities(directory: Path) -> tuple[EntityMention, ...]:
    """Return the entities of `entities.jsonl`, where the set has one."""
    paths = (directory / name for name in ("entities.jsonl", "entities.jsonl.gz"))
    path = next((path for path in paths if path.is_file()), None)
    rows = _rows(path, required=frozenset({"kind", "external_id", "name"})) if path else ()
    return tuple(
        EntityMention(kind=row["kind"], external_id=row["external_id"], name=row["name"])
        for row in rows
    )


def _read_grades(path: Path) -> dict[str, dict[str, int]]:
    judgements: dict[str, dict[str, int]] = {}
    with path.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            try:
                grades = judgements.setdefault(row["query-id"], {})
                grades[row["corpus-id"]] = int(row["score"])
            except (KeyError, TypeError, ValueError) as error:
                message = f"{path}: columns query-id, corpus-id and score (a number) are expected."
                raise DatasetError(message, field=FIELD) from error
    return judgements


def _is_unanswerable(row: Mapping[str, Any]) -> bool:
    return (row.get("metadata") or {}).get("answerable") is False


def _question(row: Mapping[str, Any]) -> JudgedQuestion:
    metadata = row.get("metadata") or {}
    limits = metadata.get("filter") or {}
    return JudgedQuestion(
        question_id=str(row["_id"]),
        text=row["text"],
        as_of=_moment(metadata.get("as_of"), is_end=True),
        entity=str(limits.get("entity", "")),
        kind=str(metadata.get("kind") or ""),
    )


def _document(row: Mapping[str, Any]) -> CorpusDocument:
    metadata = row.get("metadata") or {}
    return CorpusDocument(
        document_id=str(row["_id"]),
        title=row.get("title") or "",
        text=row["text"],
        source=metadata.get("source") or "",
        source_type=metadata.get("source_type") or "",
        url=metadata.get("url") or "",
        published_at=_moment(metadata.get("published_at"), is_end=False),
        entities=tuple(
            EntityMention(
                kind=entity["kind"], external_id=entity["external_id"], name=entity["name"]
            )
            for entity in metadata.get("entities") or ()
        ),
    )


def _moment(text: str | None, *, is_end: bool) -> datetime | None:
    if not text:
        return None
    try:
        moment = parse_moment(text, field=FIELD)
    except InvalidFilterError as error:
        raise DatasetError(str(error), field=FIELD) from error
    return end_of(moment, zone=UTC) if is_end else start_of(moment, zone=UTC)
