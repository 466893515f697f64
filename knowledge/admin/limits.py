"""What an address limits a list to beside the list's own filters, in words."""

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import FieldDoesNotExist
from django.db.models.constants import LOOKUP_SEP
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.formats import date_format
from django.utils.text import Truncator, capfirst

WORDS = {
    "exact": "is",
    "gt": "after",
    "gte": "from",
    "lt": "before",
    "lte": "up to",
    "in": "is one of",
}
LONGEST_VALUE = 60


def describe_limit(opts: Any, lookup: str, values: Sequence[Any]) -> str:
    """Return a limit in words, such as "Created at from 1 November 2026, 00:00"."""
    name, *rest = lookup.split(LOOKUP_SEP)
    last = rest[-1] if rest else "exact"
    try:
        label = capfirst(str(opts.get_field(name).verbose_name))
    except (FieldDoesNotExist, AttributeError):
        label = name
    if last == "isnull":
        return f"{label} is {'empty' if values[-1] else 'given'}"
    return f"{label} {WORDS.get(last, 'is')} {', '.join(map(_in_words, values))}"


def _in_words(value: Any) -> str:
    try:
        moment = parse_datetime(str(value))
    except ValueError:
        moment = None
    if moment is None or timezone.is_naive(moment):
        return Truncator(str(value)).chars(LONGEST_VALUE)
    return date_format(timezone.localtime(moment), "j F Y, H:i")
