"""Reads the facts about a document that a person or an export writes beside its text."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import Any

from knowledge.ingestion.moments import UnusableValueError, read_moment

# The names that a person writes, in front matter and in `--map`, and the field each one fills.
FIELD_BY_KEY = {
    "title": "title",
    "url": "url",
    "type": "source_type",
    "published_at": "published_at",
    "entities": "entities",
    "tags": "access_tags",
    "trust": "trust",
    "valid_from": "valid_from",
    "valid_until": "valid_until",
    "supersedes": "supersedes",
    "language": "language",
}
MAX_TITLE_LENGTH = 1000
MAX_URL_LENGTH = 2000

_NAME_SEPARATOR = re.compile(
    r",(?!\s*(?:inc|ltd|llc|llp|corp|co|plc|gmbh|ag|s\.?a)\b\.?)", re.IGNORECASE
)
_WEB_ADDRESS = re.compile(r"https?://[^\s/]+\S*", re.IGNORECASE)
_SLUG_GAP = re.compile(r"[\s-]+")
_SLUG = re.compile(r"[a-z0-9][a-z0-9_]*")
_ACCESS_TAG = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
_LANGUAGE = re.compile(r"[a-z][a-z_]{1,62}")
_REGION = re.compile(r"[-_][a-z0-9]+$")

_CONFIGURATION_BY_LANGUAGE = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "id": "indonesian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFields:
    """Facts about a document; empty or None where nothing usable is written."""

    title: str = ""
    url: str = ""
    source_type: str = ""
    published_at: datetime | None = None
    entities: tuple[str, ...] = ()
    access_tags: tuple[str, ...] = ()
    trust: float | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    supersedes: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldReading:
    """The usable facts, and a warning for each value that is not."""

    fields: DocumentFields
    warnings: tuple[str, ...] = ()


def read_fields(written: Mapping[str, object]) -> FieldReading:
    """Read the values of the keys in FIELD_BY_KEY; an unusable one is left out with a warning."""
    values: dict[str, Any] = {}
    warnings: list[str] = []
    for key, field in FIELD_BY_KEY.items():
        value = written.get(key)
        if value is None or value in ("", [], ()):
            continue
        try:
            values[field] = _READER_BY_KEY[key](value)
        except UnusableValueError as error:
            warnings.append(f"{key}: {error}; ignored")
    fields = DocumentFields(**values)
    if fields.valid_from and fields.valid_until and fields.valid_until < fields.valid_from:
        warnings.append("valid_until: lies before valid_from")
    return FieldReading(fields=fields, warnings=tuple(warnings))


def read_names(value: object) -> tuple[str, ...]:
    """Return the names of a list, or of text with `;`, `|` or commas between them."""
    if isinstance(value, list | tuple):
        names = [_text(name) for name in value]
    else:
        written = _text(value)
        separators = [separator for separator in ";|" if separator in written]
        names = written.split(separators[0]) if separators else _NAME_SEPARATOR.split(written)
    return tuple(dict.fromkeys(name.strip() for name in names if name.strip()))


def _text(value: object) -> str:
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return str(value).strip()
    raise UnusableValueError(value, expected="a single value")


def _title(value: object) -> str:
    return " ".join(_text(value).split())[:MAX_TITLE_LENGTH]


def _url(value: object) -> str:
    written = _text(value)
    if not _WEB_ADDRESS.fullmatch(written) or len(written) > MAX_URL_LENGTH:
        raise UnusableValueError(written, expected="an address like https://example.com")
    return written


def _source_type(value: object) -> str:
    slug = _SLUG_GAP.sub("_", _text(value).lower())
    if not _SLUG.fullmatch(slug):
        raise UnusableValueError(slug, expected="a source type like news_article")
    return slug


def _access_tags(value: object) -> tuple[str, ...]:
    tags = tuple(dict.fromkeys(tag.lower() for tag in read_names(value)))
    for tag in tags:
        if not _ACCESS_TAG.fullmatch(tag):
            raise UnusableValueError(tag, expected="a tag like board or sales-eu")
    return tags


def _trust(value: object) -> float:
    written = _text(value)
    try:
        trust = float(written)
    except ValueError:
        trust = math.nan
    if not 0.0 <= trust <= 1.0:
        raise UnusableValueError(written, expected="a number from 0 to 1")
    return trust


def _language(value: object) -> str:
    written = _text(value).lower()
    written = _CONFIGURATION_BY_LANGUAGE.get(_REGION.sub("", written), written)
    if len(written) <= len("en") or not _LANGUAGE.fullmatch(written):
        raise UnusableValueError(written, expected="a language like english or en")
    return written


def _last_moment(value: object) -> datetime:
    """Return the last moment meant: a day without a time counts to its end."""
    moment = read_moment(value)
    if ":" in str(value) or moment.time() != time():
        return moment
    return datetime.combine(moment, time.max, tzinfo=UTC)


_READER_BY_KEY: dict[str, Callable[[object], object]] = {
    "title": _title,
    "url": _url,
    "type": _source_type,
    "published_at": read_moment,
    "entities": read_names,
    "tags": _access_tags,
    "trust": _trust,
    "valid_from": read_moment,
    "valid_until": _last_moment,
    "supersedes": _text,
    "language": _language,
}
