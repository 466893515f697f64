"""Resolves the names in a filter to ids; what does not exist is an error, never "no filter"."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Lower

from knowledge.exceptions import AccessDeniedError, UnknownEntityError, UnknownSourceTypeError
from knowledge.models import EVERYONE, Document, Entity, Source, SourceType
from knowledge.services.entities import find_entity_ids
from retrieval.exceptions import InvalidFilterError

LISTED_NAMES = 20


def allowed_tags(requested: frozenset[str] | None, *, held: frozenset[str]) -> frozenset[str]:
    """Return the tags a search may read with: those held, or those requested, and `everyone`.

    Raises AccessDeniedError for a requested tag that is not held: a request only ever narrows.
    """
    held = held | {EVERYONE}
    if requested is None:
        return held
    denied = sorted(requested - held)
    if denied:
        message = f"The access tag {denied[0]!r} is not held. Held are {_listed(held)}."
        raise AccessDeniedError(message, field="access_tags")
    return requested | {EVERYONE}


def resolve_entity(reference: str) -> tuple[UUID, ...]:
    """Return the ids of the entities that `reference` names; several may share a name.

    An id comes before an external id, that before a name and that before an alias, in any case.
    Raises UnknownEntityError.
    """
    reference = reference.strip()
    if not reference:
        return ()
    ids = _by_id(reference) or find_entity_ids([reference])[reference]
    if not ids:
        message = (
            f"There is no entity {reference!r}. Give its name, an alias, its external id or its id."
        )
        raise UnknownEntityError(message, field="entity")
    return ids


def resolve_sources(names: Sequence[str], *, readable_with: frozenset[str]) -> tuple[int, ...]:
    """Return the ids of the sources of those names, in any case. Raises InvalidFilterError.

    Sources of which the reader may see nothing do not exist for it.
    """
    if not names:
        return ()
    readable = readable_sources(readable_with)
    wanted = [name.strip().lower() for name in names]
    found = dict(
        readable.annotate(lower_name=Lower("name"))
        .filter(lower_name__in=wanted)
        .values_list("lower_name", "id")
    )
    for name in wanted:
        if name not in found:
            existing = readable.order_by("name").values_list("name", flat=True)[: LISTED_NAMES + 1]
            message = f"There is no source {name!r}.{_existing(existing)}"
            raise InvalidFilterError(message, field="sources")
    return tuple(sorted(set(found.values())))


def readable_sources(tags: frozenset[str]) -> QuerySet[Source]:
    """Return the sources of which a reader with these tags may see something."""
    held = sorted(tags)
    readable_documents = Document.objects.filter(source=OuterRef("pk"), access_tags__overlap=held)
    return Source.objects.filter(Q(access_tags__overlap=held) | Exists(readable_documents))


def resolve_source_types(slugs: Sequence[str]) -> tuple[int, ...]:
    """Return the ids of the source types of those slugs. Raises UnknownSourceTypeError."""
    if not slugs:
        return ()
    known = dict(SourceType.objects.order_by("slug").values_list("slug", "id"))
    for slug in slugs:
        if slug not in known:
            message = f"There is no source type {slug!r}.{_existing(known)}"
            raise UnknownSourceTypeError(message, field="types")
    return tuple(sorted({known[slug] for slug in slugs}))


def _by_id(reference: str) -> tuple[UUID, ...]:
    try:
        entity_id = UUID(reference)
    except ValueError:
        return ()
    return tuple(Entity.objects.filter(pk=entity_id).values_list("pk", flat=True))


def _existing(names: Iterable[str]) -> str:
    listed = list(names)
    if not listed or len(listed) > LISTED_NAMES:
        return ""
    return f" There are {_listed(listed)}."


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
