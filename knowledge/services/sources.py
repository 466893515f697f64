"""Writes of sources and their types."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from crmind.exceptions import InvalidInputError
from knowledge.exceptions import UnknownSourceError, UnknownSourceTypeError
from knowledge.ingestion import store
from knowledge.ingestion.languages import configuration_name, text_search_configurations
from knowledge.models import Connector, Document, IngestionRun, Source, SourceType
from knowledge.seed import UNKNOWN, seed_source_types
from knowledge.services.changes import announce_source
from knowledge.services.timetable import set_schedule
from knowledge.services.validation import check_fields, checked_access_tags, save_validated
from knowledge.signals import ChangeReason

EDITABLE = frozenset(
    {
        "name",
        "source_type",
        "connector",
        "location",
        "mapping",
        "trust",
        "authority_override",
        "enabled",
        "is_paused",
        "language",
        "access_tags",
        "refresh_schedule",
        "owner",
        "review_by",
    }
)
TRUST_FIELDS = frozenset({"trust", "authority_override", "source_type"})
SCHEDULE_FIELDS = frozenset({"refresh_schedule", "enabled", "is_paused", "location", "connector"})
FILTER_FIELDS = frozenset({"source_type", "access_tags", "enabled"})


def get_source(name: str) -> Source:
    """Return the source of that name, in either case. Raises UnknownSourceError."""
    source: Source | None = (
        Source.objects.select_related("source_type").filter(name__iexact=name.strip()).first()
    )
    if source is None:
        message = f"There is no source {name!r}. See the list of sources in the admin."
        raise UnknownSourceError(message, field="source")
    return source


def find_source_type(slug: str) -> SourceType:
    """Return the type of that slug; empty means the unknown type. Raises UnknownSourceTypeError."""
    slug = slug.strip() or UNKNOWN
    source_type = SourceType.objects.filter(slug=slug).first()
    if source_type is None and seed_source_types():
        source_type = SourceType.objects.filter(slug=slug).first()
    if source_type is None:
        known = ", ".join(SourceType.objects.order_by("slug").values_list("slug", flat=True))
        message = f"There is no source type {slug!r}. Use one of: {known}."
        raise UnknownSourceTypeError(message, field="type")
    return source_type


@transaction.atomic
def create_source(*, name: str, type_slug: str = "", **values: Any) -> Source:
    """Add a source. Raises InvalidInputError naming the field that is wrong or taken."""
    source = Source(name=name.strip(), source_type=find_source_type(type_slug))
    _assign(source, values)
    set_schedule(source, now=timezone.now())
    save_validated(source)
    return source


@transaction.atomic
def ensure_source(
    *,
    name: str,
    type_slug: str = "",
    access_tags: Sequence[str] = (),
    connector: str = Connector.FOLDER,
    location: str = "",
    mapping: Mapping[str, str] | None = None,
) -> Source:
    """Return the source of that name, made with these values if there is none.

    An existing source keeps what curators set. Raises UnknownSourceTypeError for a wrong type.
    """
    source_type = find_source_type(type_slug)
    wanted = Source(name=name.strip(), source_type=source_type, connector=connector)
    wanted.location = location[:2000]
    wanted.mapping = dict(mapping or {})
    if access_tags:
        wanted.access_tags = checked_access_tags(access_tags)
    existing = Source.objects.select_related("source_type").filter(name__iexact=wanted.name)
    found: Source | None = existing.first()
    if found is not None:
        return found
    check_fields(wanted)
    # Another process may be first: then its source is taken, without an error.
    Source.objects.bulk_create([wanted], ignore_conflicts=True)
    made: Source = existing.get()
    return made


@transaction.atomic
def update_source(*, source: Source, **changes: Any) -> Source:
    """Change fields of a source, and what its documents and chunks take from them.

    Documents with access tags of their own keep them. A changed language counts from the next
    reindexing. Raises InvalidInputError naming the field.
    """
    current: Source = Source.objects.select_for_update().get(pk=source.pk)
    before = {name: getattr(current, name) for name in changes if name in EDITABLE}
    _assign(current, changes)
    changed = {name for name, value in before.items() if getattr(current, name) != value}
    if not changed:
        return current
    if changed & SCHEDULE_FIELDS:
        set_schedule(current, now=timezone.now())
    save_validated(current)
    if "access_tags" in changed:
        inheriting = Document.objects.filter(source=current, has_own_access_tags=False)
        inheriting.update(access_tags=current.access_tags)
    if "language" in changed:
        Document.objects.filter(source=current, language=before["language"]).update(
            language=current.language
        )
    if changed & FILTER_FIELDS:
        store.refresh_filters(source_id=current.pk)
    for reason in _reasons(current, changed):
        announce_source(reason, source_id=current.pk)
    return current


@transaction.atomic
def delete_source(*, source: Source) -> None:
    """Delete a source with its documents, chunks, vectors and runs."""
    Source.objects.select_for_update().get(pk=source.pk)
    announce_source(ChangeReason.REMOVED, source_id=source.pk)
    store.delete_source_chunks(source_id=source.pk)
    Document.objects.filter(source=source).delete()
    IngestionRun.objects.filter(source=source).delete()
    Source.objects.filter(pk=source.pk).delete()


@transaction.atomic
def create_source_type(**values: Any) -> SourceType:
    """Add a kind of source. Raises InvalidInputError naming the field."""
    source_type = SourceType(**values)
    save_validated(source_type)
    return source_type


@transaction.atomic
def update_source_type(*, source_type: SourceType, **changes: Any) -> SourceType:
    """Change a kind of source; its sources announce that their standing changed."""
    current = SourceType.objects.select_for_update().get(pk=source_type.pk)
    before = current.authority
    for name, value in changes.items():
        setattr(current, name, value)
    save_validated(current)
    if current.authority != before:
        for source_id in Source.objects.filter(source_type=current).values_list("pk", flat=True):
            announce_source(ChangeReason.TRUST, source_id=source_id)
    return current


def _reasons(source: Source, changed: Iterable[str]) -> list[ChangeReason]:
    reasons = []
    if TRUST_FIELDS.intersection(changed):
        reasons.append(ChangeReason.TRUST)
    if "access_tags" in changed:
        reasons.append(ChangeReason.ACCESS)
    if "enabled" in changed:
        reasons.append(ChangeReason.RESTORED if source.enabled else ChangeReason.RETIRED)
    return reasons


def _assign(source: Source, values: dict[str, Any]) -> None:
    for name, value in values.items():
        if name not in EDITABLE:
            message = f"{name}: a source has no such field to set."
            raise InvalidInputError(message, field=name)
        setattr(source, name, value)
    if "access_tags" in values:
        source.access_tags = checked_access_tags(values["access_tags"])
    if "language" in values:
        source.language = _checked_language(values["language"])


def _checked_language(language: str) -> str:
    name = configuration_name(language)
    if name not in (known := text_search_configurations()):
        message = f"language: {language!r} is not one of {', '.join(sorted(known))}."
        raise InvalidInputError(message, field="language")
    return name
