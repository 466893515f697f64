"""Takes accounts, contacts, deals and products of a CRM's exports in as entities."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import transaction

from crmind.exceptions import CRMindError, InvalidInputError
from knowledge.ingestion.connectors.tables import FORMAT_BY_SUFFIX, is_table, read_table
from knowledge.ingestion.crm_columns import (
    KINDS,
    CrmColumns,
    domain_of,
    find_columns,
    guess_kind,
)
from knowledge.ingestion.rows import Row, RowTable
from knowledge.models import Entity, EntityKind
from knowledge.services.entities import ensure_entity, find_entity_ids, update_entity
from knowledge.services.types import Outcome

LONGEST_NAME = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class CrmFile:
    """An export that was read, and what its columns are."""

    path: Path
    table: RowTable
    columns: CrmColumns


@dataclass(frozen=True, slots=True, kw_only=True)
class CrmLine:
    """What became of one line; `reason` tells a failure, `warnings` what was left out."""

    path: Path
    line: int
    name: str
    outcome: Outcome
    reason: str = ""
    warnings: tuple[str, ...] = ()


def read_crm_files(
    paths: Sequence[Path], *, kind: str = "", mapping: Mapping[str, str] | None = None
) -> list[CrmFile]:
    """Read exports, accounts first so that others find theirs. Raises InvalidInputError."""
    files = [_read(path, kind, mapping or {}) for path in paths]
    return sorted(files, key=lambda file: KINDS.index(file.columns.kind))


def import_crm_file(file: CrmFile) -> Iterator[CrmLine]:
    """Store each line as an entity and yield what became of it; a bad one never stops the rest.

    A line whose id, or else name, is known changes that entity. Aliases and domains that were added
    by hand stay.
    """
    for row in file.table.rows:
        name = _name(file.columns, row)
        try:
            with transaction.atomic():
                outcome, warnings = _store(file.columns, row, name)
        except CRMindError as error:
            yield CrmLine(
                path=file.path,
                line=row.line,
                name=name,
                outcome=Outcome.FAILED,
                reason=error.message,
            )
        else:
            yield CrmLine(
                path=file.path, line=row.line, name=name, outcome=outcome, warnings=warnings
            )


def preview_crm_files(files: Sequence[CrmFile]) -> list[CrmLine]:
    """Return what importing would do, and undo it."""
    lines: list[CrmLine] = []
    with transaction.atomic():
        for file in files:
            lines.extend(import_crm_file(file))
        transaction.set_rollback(True)
    return lines


def _read(path: Path, kind: str, mapping: Mapping[str, str]) -> CrmFile:
    if not is_table(path):
        message = f"{path}: give a file of {', '.join(FORMAT_BY_SUFFIX)}, packed (.gz) or not."
        raise InvalidInputError(message, field="paths")
    try:
        table = read_table(path)
    except CRMindError as error:
        message = f"{path}: {error.message}"
        raise InvalidInputError(message, field="paths") from error
    try:
        chosen = kind or guess_kind(table.columns)
        columns = find_columns(table.columns, kind=chosen, mapping=mapping)
    except CRMindError as error:
        message = f"{path}: {error.message}"
        raise InvalidInputError(message, field=error.field) from error
    return CrmFile(path=path, table=table, columns=columns)


def _store(columns: CrmColumns, row: Row, name: str) -> tuple[Outcome, tuple[str, ...]]:
    if not name:
        message = "it has no name."
        raise InvalidInputError(message, field="name")
    external_id = next(iter(columns.values(row.values, "external_id")), "")
    parent, warnings = _parent(columns, row, name)
    if len(name) > LONGEST_NAME:
        warnings = (*warnings, f"The name has {len(name)} characters and was cut.")
        name = name[:LONGEST_NAME].rstrip()
    known = _known(columns.kind, name, external_id)
    values = _values(columns, row, known)
    if parent is not None:
        values["parent"] = parent
    if known is None:
        ensure_entity(name=name, kind=columns.kind, external_id=external_id, **values)
        return Outcome.ADDED, warnings
    values |= {"name": name, **({"external_id": external_id} if external_id else {})}
    changes = {key: value for key, value in values.items() if getattr(known, key) != value}
    if not changes:
        return Outcome.UNCHANGED, warnings
    update_entity(entity=known, **changes)
    return Outcome.UPDATED, warnings


def _known(kind: str, name: str, external_id: str) -> Entity | None:
    """Return the entity of this id, else one of this name that has no id yet."""
    same_kind = Entity.objects.filter(kind=kind).select_related("parent").order_by("created_at")
    if external_id:
        found = same_kind.filter(external_id=external_id).first()
        return found or same_kind.filter(name__iexact=name, external_id="").first()
    return same_kind.filter(name__iexact=name).first()


def _values(columns: CrmColumns, row: Row, known: Entity | None) -> dict[str, Any]:
    """Return aliases and domains, added to those that are known."""
    aliases = [
        each.strip() for value in columns.values(row.values, "aliases") for each in value.split(";")
    ]
    domains = [domain_of(value) for value in columns.values(row.values, "domains")]
    return {
        "aliases": _joined(known.aliases if known else [], aliases),
        "domains": _joined(known.domains if known else [], domains),
    }


def _joined(known: Sequence[str], found: Sequence[str]) -> list[str]:
    folded = {each.casefold() for each in known}
    new = {each.casefold(): each for each in found if each and each.casefold() not in folded}
    return [*known, *new.values()]


def _name(columns: CrmColumns, row: Row) -> str:
    return " ".join(columns.values(row.values, "name"))


def _parent(columns: CrmColumns, row: Row, name: str) -> tuple[Entity | None, tuple[str, ...]]:
    """Return the account that a line names, by id or name, and a warning where it is not known."""
    written = columns.values(row.values, "parent")
    for value in written:
        first = value.split(";")[0].strip()
        ids = find_entity_ids([first]).get(first, ())
        accounts = list(Entity.objects.filter(pk__in=ids, kind=EntityKind.COMPANY)[:2])
        if len(accounts) == 1 and accounts[0].name.casefold() != name.casefold():
            return accounts[0], ()
    if not written:
        return None, ()
    return None, (f"There is no one account {written[0]!r}; import accounts first.",)
