"""What changed in a field: its values as they are stored, and in words."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID

from django.db import models
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.text import Truncator, capfirst

LABELS = {
    "has_own_access_tags": "Keeps access tags of its own",
    "has_own_entities": "Keeps what it is about",
    "has_own_validity": "Keeps its end of validity",
    "supersedes": "Replaces",
    "cache_ttl_days": "Cached answers last (days)",
    "mapping": "Columns",
}
EMPTY = "empty"
WORDS_CHARACTERS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """One field: its old and new value, as JSON keeps them and as people read them."""

    field: str
    label: str
    old: Any
    new: Any
    old_words: str
    new_words: str

    def as_json(self) -> dict[str, Any]:
        """Return it as it is stored."""
        return asdict(self)


def differences(
    fields: Iterable[Any], before: Mapping[str, Any], after: Mapping[str, Any]
) -> list[FieldChange]:
    """Return what differs between two rows given by column name."""
    return [
        describe(field, before[field.attname], after[field.attname])
        for field in fields
        if field.attname in before and before[field.attname] != after[field.attname]
    ]


def describe(field: Any, old: Any, new: Any) -> FieldChange:
    """Return the change of a field from one value to another."""
    return FieldChange(
        field=field.name,
        label=label_of(field),
        old=encode(old),
        new=encode(new),
        old_words=in_words(field, old),
        new_words=in_words(field, new),
    )


def label_of(field: Any) -> str:
    """Return what people call a field."""
    return LABELS.get(field.name) or capfirst(str(field.verbose_name))


def encode(value: Any) -> Any:
    """Return a value of a column as JSON can hold it."""
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, list):
        return [encode(each) for each in value]
    return str(value) if isinstance(value, UUID) else value


def decode(field: Any, value: Any) -> Any:
    """Return a value out of JSON as its field takes it; the row itself for a relation.

    None for a row that is gone.
    """
    if value is None:
        return None
    if field.many_to_many:
        return list(field.related_model._base_manager.filter(pk__in=value))  # noqa: SLF001 # documented
    value = field.to_python(value)
    if field.is_relation:
        return field.related_model._base_manager.filter(pk=value).first()  # noqa: SLF001 # documented
    return value


def in_words(field: Any, value: Any) -> str:
    """Return a value as people read it."""
    if value in (None, "", [], {}):
        return EMPTY
    if field.is_relation:
        return _names(field, value if field.many_to_many else [value])
    if field.choices:
        return str(dict(field.flatchoices).get(value, value))
    return Truncator(_plain(value)).chars(WORDS_CHARACTERS)


def _plain(value: Any) -> str:  # noqa: PLR0911 # one line per type of column
    match value:
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:g}"
        case datetime():
            return date_format(timezone.localtime(value), "j F Y, H:i")
        case date():
            return date_format(value, "j F Y")
        case dict():
            return "; ".join(f"{key} = {each}" for key, each in value.items())
        case list():
            return ", ".join(str(each) for each in value)
    return str(value)


def _names(field: Any, keys: Iterable[Any]) -> str:
    wanted = list(keys)
    found: dict[Any, models.Model] = field.related_model._base_manager.in_bulk(wanted)  # noqa: SLF001 # documented
    names = (str(found[key]) if key in found else "one that was deleted" for key in wanted)
    return Truncator(", ".join(names)).chars(WORDS_CHARACTERS)
