"""Splits the YAML head of a text file from its body."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from knowledge.ingestion.fields import FIELD_BY_KEY, DocumentFields, read_fields

MAX_LENGTH = 64 * 1024
MAX_DEPTH = 8

_OPENING = re.compile(r"\ufeff?---[ \t]*\r?\n")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """What the head of a file says of the document, and the text below it.

    `other` holds the keys that are no field of a document. Without usable front matter `body` is
    the whole text.
    """

    values: DocumentFields
    body: str
    other: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def split_front_matter(text: str) -> FrontMatter:
    """Read the front matter of `text`; what cannot be read stays in the body, with a warning."""
    opening = _OPENING.match(text)
    closing = opening and _CLOSING.search(text, opening.end(), opening.end() + MAX_LENGTH)
    if not opening or not closing:
        return FrontMatter(values=DocumentFields(), body=text)
    try:
        written = _load(text[opening.end() : closing.start()])
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        warning = f"front matter kept as text: {_reason(error)}"
        return FrontMatter(values=DocumentFields(), body=text, warnings=(warning,))
    reading = read_fields({key: value for key, value in written.items() if key in FIELD_BY_KEY})
    return FrontMatter(
        values=reading.fields,
        body=text[closing.end() :],
        other={
            key: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            for key, value in written.items()
            if key not in FIELD_BY_KEY
        },
        warnings=reading.warnings,
    )


class _RefusedYamlError(yaml.YAMLError):
    """YAML that is not worth reading."""


class _PlainLoader(yaml.BaseLoader):
    """Leaves every scalar as written; refuses aliases, which can grow without bound, and depth."""

    depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            reason = "aliases (*name) are not allowed"
            raise _RefusedYamlError(reason)
        self.depth += 1
        if self.depth > MAX_DEPTH:
            reason = f"nested deeper than {MAX_DEPTH} levels"
            raise _RefusedYamlError(reason)
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


def _load(written: str) -> dict[str, Any]:
    loader = _PlainLoader(written)
    try:
        loaded = loader.get_single_data()
    finally:
        loader.dispose()
    if not loaded:
        return {}
    if not isinstance(loaded, dict):
        reason = "it is not made of 'key: value' lines"
        raise _RefusedYamlError(reason)
    return {str(key).strip().lower(): value for key, value in loaded.items()}


def _reason(error: Exception) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark:
        # Counted from the file's first line, which is the opening ---.
        return f"line {error.problem_mark.line + 2}: {error.problem}"
    return " ".join(str(error).split())
