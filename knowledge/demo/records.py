"""Mappings of a YAML file that say where they are when they are wrong."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import NoReturn

import yaml

from crmind.exceptions import InvalidInputError


class InvalidCatalogueError(InvalidInputError):
    """The catalogue of the demo contradicts itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One mapping with typed access; `where` names it in messages."""

    where: str
    values: Mapping[str, object]

    def refuse(self, problem: str) -> NoReturn:
        """Raise InvalidCatalogueError with `problem` and the place."""
        message = f"{self.where}: {problem}."
        raise InvalidCatalogueError(message, field=self.where)

    def refuse_unknown(self, known: Iterable[str]) -> None:
        """Refuse a key that is not one of `known`."""
        unknown = sorted(set(self.values) - set(known))
        if unknown:
            self.refuse(f"unknown key '{unknown[0]}'; use {', '.join(sorted(known))}")

    def text(self, key: str, default: str | None = None) -> str:
        """Return a text that is not blank, or `default`."""
        value = self.values.get(key, default)
        if value is None:
            self.refuse(f"'{key}' is missing")
        if not isinstance(value, str) or (not value.strip() and value is not default):
            self.refuse(f"'{key}' must be a text in quotes, not {value!r}")
        return value

    def choice(self, key: str, allowed: frozenset[str]) -> str:
        """Return a text that is one of `allowed`."""
        value = self.text(key)
        if value not in allowed:
            self.refuse(f"'{key}' is '{value}'; use {', '.join(sorted(allowed))}")
        return value

    def share(self, key: str) -> float:
        """Return a number from 0 to 1."""
        value = self.values.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            self.refuse(f"'{key}' must be a number from 0 to 1, not {value!r}")
        return float(value)

    def day(self, key: str) -> date | None:
        """Return a date, or None where there is none."""
        value = self.values.get(key)
        if value is not None and type(value) is not date:
            self.refuse(f"'{key}' must be a day such as 2026-03-17, not {value!r}")
        return value

    def texts(self, key: str, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Return a list of texts."""
        value = self.values.get(key, default)
        if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
            self.refuse(f"'{key}' must be a list of texts, not {value!r}")
        return tuple(value)

    def flag(self, key: str, *, default: bool) -> bool:
        """Return true or false."""
        value = self.values.get(key, default)
        if not isinstance(value, bool):
            self.refuse(f"'{key}' must be true or false, not {value!r}")
        return value

    def record(self, key: str) -> "Record":
        """Return the mapping under `key`, empty where there is none."""
        return as_record(self.values.get(key, {}), where=f"{self.where}, {key}")

    def records(self, key: str) -> "Iterator[Record]":
        """Yield the mappings of the list under `key`."""
        rows = self.values.get(key, [])
        if not isinstance(rows, list):
            self.refuse(f"'{key}' must be a list, not {rows!r}")
        for position, row in enumerate(rows, start=1):
            yield as_record(row, where=f"{self.where}, {key} {position}")


def read_yaml(path: Path) -> object:
    """Return what the file holds. Raises InvalidCatalogueError."""
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        message = f"{path.name}: cannot be read ({error.strerror})."
        raise InvalidCatalogueError(message, field=path.name) from error
    except yaml.YAMLError as error:
        message = f"{path.name}: is not valid YAML: {error}"
        raise InvalidCatalogueError(message, field=path.name) from error


def as_record(value: object, *, where: str) -> Record:
    """Return `value` as a record if it is a mapping. Raises InvalidCatalogueError."""
    if not isinstance(value, dict):
        message = f"{where}: must be keys with values, not {value!r}."
        raise InvalidCatalogueError(message, field=where)
    return Record(where=where, values=value)
