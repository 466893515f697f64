"""One list of the changes of every kind, newest first: each branch reads an index, none counts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Self

from django.apps import apps
from django.contrib.admin.models import ADDITION, DELETION, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models import (
    Case,
    CharField,
    F,
    JSONField,
    Q,
    QuerySet,
    TextField,
    Value,
    When,
)
from django.db.models.functions import Cast, Collate, Concat
from django.http import HttpRequest
from django.utils.dateparse import parse_datetime

from crmind.history.kinds import history_of, label_of, logged_models, visible_models
from knowledge.admin.readers import reads_everything
from knowledge.history import FieldChange

PAGE_ROWS = 50
MOST_DIGITS = 18
BYTEWISE = "C"
"""The collation kinds are ordered by: as Python compares them."""
COLUMNS = tuple(
    f"c_{name}"
    for name in ("kind", "number", "key", "name", "by", "at", "type", "reason", "changes")
)
ADDED, CHANGED, DELETED = "+", "~", "-"
LOGGED = "log"
"""Stands before the kind of a change that the admin's own log tells of, without old and new."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a page of the list begins: right after this change."""

    at: datetime
    kind: str
    number: int

    @classmethod
    def read(cls, text: str) -> Self | None:
        """Return the place an address names, None for one that is none."""
        moment, _, rest = text.partition("~")
        kind, _, number = rest.partition("~")
        if "\0" in kind:
            return None
        try:
            at = parse_datetime(moment)
        except ValueError:
            return None
        if at is None or at.tzinfo is None or not number.isdecimal() or len(number) > MOST_DIGITS:
            return None
        return cls(at=at, kind=kind, number=int(number))

    def __str__(self) -> str:
        return f"{self.at.isoformat()}~{self.kind}~{self.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change: of what, by whom, when, and which fields."""

    kind: str
    number: int
    key: str
    name: str
    by: str
    at: datetime
    type: str
    reason: str
    changes: tuple[FieldChange, ...]

    @property
    def place(self) -> Place:
        """Where the list goes on after it."""
        return Place(at=self.at, kind=self.kind, number=self.number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which changes are asked for; empty values do not limit."""

    kind: str = ""
    key: str = ""
    by: str = ""
    words: str = ""
    since: datetime | None = None
    until: datetime | None = None
    after: Place | None = None
    rows: int = field(default=PAGE_ROWS)


def find_changes(request: HttpRequest, wanted: Wanted) -> tuple[list[Change], Place | None]:
    """Return a page of what the user may read, and where the next one begins, if there is one."""
    branches = [
        _cut(_narrowed(rows, kind, wanted), wanted)
        for kind, rows in _branches(request)
        if wanted.kind in ("", kind)
    ]
    if not branches:
        return [], None
    found = _read(branches, wanted.rows + 1)
    has_more = len(found) > wanted.rows
    return found[: wanted.rows], found[wanted.rows - 1].place if has_more else None


def _branches(request: HttpRequest) -> Iterable[tuple[str, QuerySet[Any]]]:
    for model in visible_models(request):
        yield label_of(model), _tracked(model, request.user)
    logged = logged_models(request)
    keys = [each.pk for each in ContentType.objects.get_for_models(*logged).values()]
    for_all = LogEntry.objects.filter(content_type__in=keys).order_by()
    seen = for_all if reads_everything(request.user) else for_all.filter(user=request.user.pk)
    yield LOGGED, _logged(seen)


def _tracked(model: Any, user: Any) -> QuerySet[Any]:
    rows: QuerySet[Any] = history_of(model, user).annotate(
        c_kind=Collate(Value(label_of(model), output_field=CharField()), BYTEWISE),
        c_number=F("history_id"),
        c_key=Cast(model._meta.pk.attname, TextField()),  # noqa: SLF001 # documented
        c_name=F("history_name"),
        c_by=F("history_by"),
        c_at=F("history_date"),
        c_type=F("history_type"),
        c_reason=F("history_change_reason"),
        c_changes=F("history_changes"),
    )
    return rows


def _logged(entries: QuerySet[Any]) -> QuerySet[Any]:
    kind = Concat(
        F("content_type__app_label"), Value("."), F("content_type__model"), output_field=CharField()
    )
    flags = {ADDITION: ADDED, DELETION: DELETED}
    types = [When(action_flag=flag, then=Value(type_)) for flag, type_ in flags.items()]
    rows: QuerySet[Any] = entries.annotate(
        c_kind=Collate(Concat(Value(f"{LOGGED}:"), kind, output_field=CharField()), BYTEWISE),
        c_number=Cast("id", output_field=LogEntry._meta.pk),  # noqa: SLF001 # documented
        c_key=Cast("object_id", TextField()),
        c_name=F("object_repr"),
        c_by=F("user__username"),
        c_at=F("action_time"),
        c_type=Case(*types, default=Value(CHANGED), output_field=CharField()),
        c_reason=F("change_message"),
        c_changes=Value([], output_field=JSONField()),
    )
    return rows


def _narrowed(rows: QuerySet[Any], kind: str, wanted: Wanted) -> QuerySet[Any]:
    limits = Q()
    if wanted.key and kind != LOGGED:
        limits &= Q(**{apps.get_model(kind)._meta.pk.attname: wanted.key})  # noqa: SLF001 # documented
    if wanted.by:
        limits &= Q(c_by__icontains=wanted.by)
    if wanted.since:
        limits &= Q(c_at__gte=wanted.since)
    if wanted.until:
        limits &= Q(c_at__lt=wanted.until)
    if wanted.words:
        rows = rows.annotate(c_text=Cast("c_changes", TextField()))
        words = wanted.words
        limits &= (
            Q(c_name__icontains=words) | Q(c_text__icontains=words) | Q(c_reason__icontains=words)
        )
    if wanted.after:
        limits &= _later(wanted.after, kind)
    return rows.filter(limits)


def _later(place: Place, kind: str) -> Q:
    """Return what stands after a place: older, or as old and of a later kind or smaller number."""
    same_moment = Q(c_at=place.at)
    if kind == LOGGED:
        after = Q(c_kind__gt=place.kind) | Q(c_kind=place.kind, c_number__lt=place.number)
        return Q(c_at__lt=place.at) | same_moment & after
    if kind == place.kind:
        return Q(c_at__lt=place.at) | same_moment & Q(c_number__lt=place.number)
    return Q(c_at__lte=place.at) if kind > place.kind else Q(c_at__lt=place.at)


def _cut(rows: QuerySet[Any], wanted: Wanted) -> QuerySet[Any]:
    ordered = rows.order_by("-c_at", "c_kind", "-c_number")
    return ordered.values_list(*COLUMNS)[: wanted.rows + 1]


def _read(branches: Sequence[QuerySet[Any]], limit: int) -> list[Change]:
    first, *others = branches
    rows = first.union(*others, all=True) if others else first
    if others:
        rows = rows.order_by("-c_at", "c_kind", "-c_number")[:limit]
    return [_change(*row) for row in rows]


def _change(*values: Any) -> Change:
    row = dict(zip(COLUMNS, values, strict=True))
    is_logged = row["c_kind"].startswith(LOGGED)
    reason = LogEntry(change_message=row["c_reason"]).get_change_message() if is_logged else ""
    return Change(
        kind=row["c_kind"],
        number=row["c_number"],
        key=row["c_key"] or "",
        name=row["c_name"],
        by=row["c_by"] or "",
        at=row["c_at"],
        type=row["c_type"],
        reason=reason or ("" if is_logged else row["c_reason"]),
        changes=tuple(FieldChange(**each) for each in row["c_changes"] or ()),
    )
