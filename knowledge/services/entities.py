"""Writes of entities, and finding them by the names people use."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction

from crmind.exceptions import InvalidInputError
from knowledge.exceptions import UnknownEntityError
from knowledge.function_words import FUNCTION_WORDS
from knowledge.ingestion import store
from knowledge.ingestion.recognition import choose_recognised, find_mentions
from knowledge.ingestion.types import ParsedDocument
from knowledge.models import Document, Entity, EntityKind
from knowledge.services.validation import save_validated

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
EDITABLE = frozenset({"kind", "name", "aliases", "domains", "external_id", "parent"})


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityMatches:
    """Entities found by name; `warnings` says of each name that fits none, or several."""

    ids: tuple[UUID, ...] = ()
    warnings: tuple[str, ...] = ()


def find_entity_ids(names: Iterable[str]) -> dict[str, tuple[UUID, ...]]:
    """Return the ids that fit each name: external id before name before alias, in either case.

    An id that is written out stands for itself.
    """
    wanted = sorted({name for name in names if name.strip()})
    found: dict[str, tuple[UUID, ...]] = dict.fromkeys(wanted, ())
    for name, entity_id in store.find_entities(wanted):
        found[name] = (*found[name], entity_id)
    if written := {
        name: UUID(name) for name in wanted if not found[name] and _UUID.fullmatch(name)
    }:
        known = set(Entity.objects.filter(pk__in=written.values()).values_list("pk", flat=True))
        found |= {name: (key,) for name, key in written.items() if key in known}
    return found


def recognise_entities(batch: Iterable[ParsedDocument]) -> dict[str, dict[UUID, str]]:
    """Return, by external id, the entities that documents name in their text, with the names.

    Documents for which entities are given are not read. One query for all.
    """
    if not Entity.objects.exists():
        return {}
    mentions = {
        parsed.external_id: find_mentions(title=parsed.title, text=parsed.text)
        for parsed in batch
        if parsed.reads_entities and not any(parsed.entities)
    }
    names = {name for each in mentions.values() for name in (*each.names, *each.addresses)}
    domains = {domain for each in mentions.values() for domain in each.domains}
    matches: dict[str, list[UUID]] = {}
    for written, entity_id in store.recognise_entities(names=names, domains=domains):
        matches.setdefault(written, []).append(entity_id)
    return {key: choose_recognised(each, matches) for key, each in mentions.items()}


def check_names(*, name: str, aliases: Iterable[str]) -> None:
    """Refuse names that almost every question holds. Raises InvalidInputError naming the field.

    For what people write: a name that a program sends is taken as it is.
    """
    for field, written in (("name", name), *(("aliases", alias) for alias in aliases)):
        if written.strip().casefold() in FUNCTION_WORDS:
            message = (
                f"“{written}” is in almost every question: each would seem to be about it. Give a"
                " longer name."
            )
            raise InvalidInputError(message, field=field)


def find_accounts(entity_ids: Iterable[UUID]) -> dict[UUID, UUID]:
    """Return the account of each contact and deal that belongs to one."""
    wanted = set(entity_ids)
    if not wanted:
        return {}
    belonging = Entity.objects.filter(
        pk__in=wanted,
        kind__in=(EntityKind.PERSON, EntityKind.DEAL),
        parent__kind=EntityKind.COMPANY,
    )
    return dict(belonging.values_list("pk", "parent_id"))


def with_accounts(entity_ids: Iterable[UUID], accounts: Mapping[UUID, UUID]) -> tuple[UUID, ...]:
    """Return the ids and behind them the accounts of those that have one, each once."""
    own = list(entity_ids)
    return tuple(dict.fromkeys([*own, *(accounts[each] for each in own if each in accounts)]))


def find_similar_names(words_by_name: Mapping[str, str]) -> dict[str, list[tuple[str, UUID]]]:
    """Return the names and aliases of entities nearly like each name, with the entity's id.

    With each name comes the word of it that is spelt wrongly.
    """
    found: dict[str, list[tuple[str, UUID]]] = {name: [] for name in words_by_name}
    if words_by_name:
        with transaction.atomic():
            rows = store.find_similar_entities(words_by_name)
        for asked, name, entity_id in rows:
            found[asked].append((name, entity_id))
    return found


def find_similar_titles(
    words: Sequence[str], *, readable_with: Collection[str]
) -> dict[str, list[str]]:
    """Return the titles that readers may know and that hold something like each word."""
    found: dict[str, list[str]] = {word: [] for word in words}
    if words:
        with transaction.atomic():
            rows = store.find_similar_titles(words, readable_with=readable_with)
        for word, title in rows:
            found[word].append(title)
    return found


def find_unused_words(words: Iterable[str]) -> frozenset[str]:
    """Return the words that no searchable chunk holds, as far as words were counted."""
    wanted = sorted(set(words))
    return frozenset(store.find_unused_words(wanted)) if wanted else frozenset()


def match_entities(names: Iterable[str], found: Mapping[str, tuple[UUID, ...]]) -> EntityMatches:
    """Return the entities of `names`, out of `found`, each once."""
    ids: dict[UUID, None] = {}
    warnings = []
    for name in dict.fromkeys(name for name in names if name.strip()):
        match found.get(name, ()):
            case (entity_id,):
                ids[entity_id] = None
            case ():
                warnings.append(f"There is no entity {name!r}; the document is not linked to it.")
            case several:
                warnings.append(
                    f"{len(several)} entities are called {name!r}; name one by its external id."
                )
    return EntityMatches(ids=tuple(ids), warnings=tuple(warnings))


def resolve_entities(names: Iterable[str]) -> list[Entity]:
    """Return the entities of these names or external ids, in order; unknown names are left out."""
    wanted = list(names)
    matches = match_entities(wanted, find_entity_ids(wanted))
    by_id = Entity.objects.in_bulk(matches.ids)
    return [by_id[entity_id] for entity_id in matches.ids]


def get_entity(name: str) -> Entity:
    """Return the one entity of this name or external id. Raises UnknownEntityError."""
    ids = find_entity_ids([name]).get(name, ())
    if len(ids) == 1:
        return Entity.objects.get(pk=ids[0])
    message = (
        f"{len(ids)} entities are called {name!r}. Name one by its external id."
        if ids
        else f"There is no entity {name!r}. Add it in the admin, or name another."
    )
    raise UnknownEntityError(message, field="entity")


@transaction.atomic
def ensure_entity(
    *, name: str, kind: str = EntityKind.COMPANY, external_id: str = "", **values: Any
) -> tuple[Entity, bool]:
    """Return the entity of this kind and external id (else name), and whether it is new.

    An existing one takes the values given.
    """
    same = Entity.objects.filter(kind=kind)
    same = same.filter(external_id=external_id) if external_id else same.filter(name__iexact=name)
    existing = same.order_by("created_at", "pk").first()
    if existing is not None:
        return update_entity(entity=existing, name=name, **values), False
    entity = Entity(name=name, kind=kind, external_id=external_id)
    _assign(entity, values)
    save_validated(entity)
    return entity, True


@transaction.atomic
def update_entity(*, entity: Entity, **changes: Any) -> Entity:
    """Change fields of an entity. Raises InvalidInputError naming the field."""
    current = Entity.objects.select_for_update().get(pk=entity.pk)
    _assign(current, changes)
    save_validated(current)
    return current


@transaction.atomic
def delete_entity(*, entity: Entity) -> None:
    """Delete an entity; its documents stay, without the link."""
    linked = list(Document.objects.filter(entities=entity).values_list("pk", flat=True))
    Entity.objects.filter(pk=entity.pk).delete()
    store.refresh_filters(document_ids=linked)


def _assign(entity: Entity, values: dict[str, Any]) -> None:
    for name, value in values.items():
        if name not in EDITABLE:
            message = f"{name}: an entity has no such field to set."
            raise InvalidInputError(message, field=name)
        setattr(entity, name, value)
