"""Reads pairs of questions that are labelled as the same or not."""

import gzip
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO, cast

from retrieval.exceptions import DatasetError

FIELD = "files"
REQUIRED = ("q1", "q2", "label")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two questions; `is_same` tells whether one answer serves both."""

    asked: str
    stored: str
    is_same: bool
    kind: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSet:
    """The pairs of one file."""

    name: str
    pairs: tuple[Pair, ...]


def read_pairs(path: Path, *, where: Mapping[str, str] | None = None) -> PairSet:
    """Return the pairs of a file of tab-separated columns, gzipped or not. Raises DatasetError.

    The columns q1, q2 and label (1 or 0) have to be there, kind may be; `where` keeps the rows that
    have these values in other columns. Quotation marks mean themselves.
    """
    try:
        with _open(path) as file:
            pairs = tuple(_pairs(file, path, where or {}))
    except (OSError, EOFError, UnicodeDecodeError) as error:
        message = f"{path} cannot be read: {error}"
        raise DatasetError(message, field=FIELD) from error
    if not pairs:
        message = f"{path} has no pairs{' of that sort' if where else ''}."
        raise DatasetError(message, field=FIELD)
    return PairSet(name=path.name.removesuffix(".gz").removesuffix(".tsv"), pairs=pairs)


def _open(path: Path) -> TextIO:
    if path.suffix == ".gz":
        return cast("TextIO", gzip.open(path, "rt", encoding="utf-8-sig", newline="\n"))
    return path.open(encoding="utf-8-sig", newline="\n")


def _pairs(file: TextIO, path: Path, where: Mapping[str, str]) -> Iterator[Pair]:
    columns = file.readline().rstrip("\r\n").split("\t")
    for name in (*REQUIRED, *where):
        if name not in columns:
            message = f"{path}, line 1: there is no column {name!r}; it has {', '.join(columns)}."
            raise DatasetError(message, field=FIELD)
    for number, line in enumerate(file, start=2):
        values = line.rstrip("\r\n").split("\t")
        if values == [""]:
            continue
        if len(values) != len(columns):
            message = (
                f"{path}, line {number}: {len(values)} columns where the first line has "
                f"{len(columns)}."
            )
            raise DatasetError(message, field=FIELD)
        row = dict(zip(columns, values, strict=True))
        if all(row[name] == value for name, value in where.items()):
            yield _pair(row, f"{path}, line {number}")


def _pair(row: Mapping[str, str], place: str) -> Pair:
    for name in ("q1", "q2"):
        if not row[name].strip():
            message = f"{place}, column {name}: the question is empty."
            raise DatasetError(message, field=FIELD)
    label = row["label"].strip()
    if label not in {"0", "1"}:
        message = f"{place}, column label: {label!r} is neither 0 nor 1."
        raise DatasetError(message, field=FIELD)
    return Pair(
        asked=row["q1"], stored=row["q2"], is_same=label == "1", kind=row.get("kind", "").strip()
    )
