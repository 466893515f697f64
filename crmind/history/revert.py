"""Taking a change back: through the services, so that every rule and every event applies."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.formats import date_format

from crmind.exceptions import ConflictError, InvalidInputError
from crmind.history.kinds import label_of
from knowledge.history import FieldChange, because, decode
from knowledge.history.fields import encode, in_words
from knowledge.history.fields import label_of as label_of_field
from knowledge.models import ApiKey, Chunk, Document, DocumentStatus, Entity, Source, SourceType
from knowledge.services import (
    restore_document,
    retire_document,
    set_access_tags,
    set_document_trust,
    switch_chunk,
    update_entity,
    update_source,
    update_source_type,
)
from knowledge.services.decisions import set_entities, set_predecessor, set_validity
from knowledge.services.validation import save_validated
from retrieval.evaluation.release import save_measured
from retrieval.models import (
    GoldenQuestion,
    Intent,
    Judgement,
    KnowledgeGap,
    RankingProfile,
    Synonym,
)

Values = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One field of a change to take back: what it is now and what it will be."""

    label: str
    now: str
    then: str
    is_changed_since: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What taking back would do; `seen` names the state it was planned on."""

    steps: tuple[Step, ...]
    seen: str
    obstacle: str = ""


def _revert_source(row: Source, values: Values) -> None:
    update_source(source=row, **values)


def _revert_source_type(row: SourceType, values: Values) -> None:
    update_source_type(source_type=row, **values)


def _revert_entity(row: Entity, values: Values) -> None:
    update_entity(entity=row, **values)


def _revert_profile(row: RankingProfile, values: Values) -> None:
    save_measured(profile=row, changes=values)


def _revert_chunk(row: Chunk, values: Values) -> None:
    switch_chunk(chunk=row, off=values["is_switched_off"])


def _revert_plainly(row: Any, values: Values) -> None:
    current = type(row)._default_manager.select_for_update().get(pk=row.pk)  # noqa: SLF001 # documented
    relations = {name for name in values if current._meta.get_field(name).many_to_many}  # noqa: SLF001
    for name in values.keys() - relations:
        setattr(current, name, values[name])
    if values.keys() - relations:
        save_validated(current)
    for name in relations:
        getattr(current, name).set(values[name])


def _revert_document(row: Document, values: Values) -> None:
    if "trust" in values:
        set_document_trust(document=row, trust=values["trust"])
    if "access_tags" in values or "has_own_access_tags" in values:
        set_access_tags(
            document=row,
            access_tags=values.get("access_tags", row.access_tags),
            is_own=values.get("has_own_access_tags", row.has_own_access_tags),
        )
    if "entities" in values or "has_own_entities" in values:
        set_entities(
            document=row,
            entities=values.get("entities", row.entities.all()),
            is_own=values.get("has_own_entities", row.has_own_entities),
        )
    if "supersedes" in values:
        set_predecessor(document=row, predecessor=values["supersedes"], now=timezone.now())
    if "valid_until" in values or "has_own_validity" in values:
        set_validity(
            document=row,
            valid_until=values.get("valid_until", row.valid_until),
            is_own=values.get("has_own_validity", row.has_own_validity),
        )
    if values.get("status") == DocumentStatus.RETIRED:
        retire_document(document=row, reason=values.get("status_reason", ""))
    elif "status" in values:
        restore_document(document=row)


REVERTS: dict[str, Callable[[Any, Values], None]] = {
    label_of(Source): _revert_source,
    label_of(SourceType): _revert_source_type,
    label_of(Entity): _revert_entity,
    label_of(Document): _revert_document,
    label_of(Chunk): _revert_chunk,
    label_of(RankingProfile): _revert_profile,
    label_of(ApiKey): _revert_plainly,
    label_of(Synonym): _revert_plainly,
    label_of(Intent): _revert_plainly,
    label_of(GoldenQuestion): _revert_plainly,
    label_of(Judgement): _revert_plainly,
    label_of(KnowledgeGap): _revert_plainly,
}
FIELDS = {
    label_of(ApiKey): frozenset({"name", "access_tags", "can_write", "expiry_date"}),
    label_of(Document): frozenset(
        {
            "trust",
            "access_tags",
            "has_own_access_tags",
            "entities",
            "has_own_entities",
            "supersedes",
            "valid_until",
            "has_own_validity",
            "status",
            "status_reason",
        }
    ),
}
"""Fields that can be taken back, where not all can."""
FINAL = {label_of(ApiKey): "A key that was revoked stays so: make a new one."}
"""Why the other fields of a kind cannot."""
RETURNING = frozenset(
    label_of(each)
    for each in (Entity, SourceType, RankingProfile, Synonym, Intent, GoldenQuestion, Judgement)
)
"""Kinds whose deleted rows can be made anew."""


def plan_revert(row: Any, record: Any) -> Plan:
    """Return what taking back the change of `record` would do to `row`."""
    known = {field.name for field in row._meta.get_fields()}  # noqa: SLF001 # documented
    stored = [FieldChange(**each) for each in record.history_changes]
    changes = [change for change in stored if change.field in known]
    kind = label_of(type(row))
    steps = tuple(_step(row, change) for change in changes)
    return Plan(steps=steps, seen=_digest(row, changes), obstacle=_obstacle(kind, changes, steps))


def plan_return(record: Any) -> Plan:
    """Return what bringing back the row that `record` saw deleted would make."""
    fields = record.tracked_fields
    values = [(field, getattr(record, field.attname)) for field in fields if not field.primary_key]
    steps = [
        Step(label=label_of_field(field), now="deleted", then=in_words(field, value))
        for field, value in values
    ]
    model = record.instance_type
    obstacle = ""
    if label_of(model) not in RETURNING:
        obstacle = "What was deleted here cannot be brought back."
    elif model._base_manager.filter(pk=_key(record)).exists():  # noqa: SLF001 # documented
        obstacle = "Nothing to bring back: it is there again."
    return Plan(steps=tuple(steps), seen="deleted", obstacle=obstacle)


@transaction.atomic
def bring_back(record: Any) -> Any:
    """Make the row that `record` saw deleted anew, under its old id.

    Raises InvalidInputError, also if what it refers to is gone or its name is taken.
    """
    if obstacle := plan_return(record).obstacle:
        raise InvalidInputError(obstacle)
    names = [field.attname for field in record.tracked_fields]
    row = record.instance_type(**{name: getattr(record, name) for name in names})
    with because(f"Brought back what was deleted on {_moment(record)}."):
        save_validated(row)
        for change in (FieldChange(**each) for each in record.history_changes):
            getattr(row, change.field).set(decode(_field(row, change), change.old))
    return row


@transaction.atomic
def revert(row: Any, record: Any, *, seen: str) -> None:
    """Set the fields of a change back to what they were before it.

    Raises ConflictError if the row is no longer as it was shown, or what a service refuses.
    """
    plan = plan_revert(row, record)
    if plan.obstacle:
        raise InvalidInputError(plan.obstacle)
    if plan.seen != seen:
        message = "It was changed by somebody else meanwhile. Look at it again below."
        raise ConflictError(message)
    changes = [FieldChange(**each) for each in record.history_changes]
    values = {each.field: _value(row, each) for each in changes}
    with because(f"Took back the change of {_moment(record)}."):
        REVERTS[label_of(type(row))](row, values)


def _value(row: Any, change: FieldChange) -> Any:
    field = _field(row, change)
    value = decode(field, change.old)
    if value is None and change.old is not None:
        message = f"{change.label}: “{change.old_words}” was deleted meanwhile; choose another."
        raise InvalidInputError(message, field=change.field)
    return value


def _step(row: Any, change: FieldChange) -> Step:
    now = _current(row, change)
    return Step(
        label=change.label,
        now=in_words(_field(row, change), now),
        then=change.old_words,
        is_changed_since=encode(now) != change.new,
    )


def _obstacle(kind: str, changes: list[FieldChange], steps: tuple[Step, ...]) -> str:
    if kind not in REVERTS or not changes:
        return "This change cannot be taken back here: nothing tells what was before."
    stuck = [each.label for each in changes if each.field not in FIELDS.get(kind, {each.field})]
    if stuck:
        usual = f"{', '.join(stuck)}: this is changed on the page itself, not taken back here."
        return FINAL.get(kind, usual)
    if all(step.now == step.then for step in steps):
        return "Nothing to take back: it is as it was before this change."
    return ""


def _field(row: Any, change: FieldChange) -> Any:
    return row._meta.get_field(change.field)  # noqa: SLF001 # documented


def _current(row: Any, change: FieldChange) -> Any:
    field = _field(row, change)
    if field.many_to_many:
        return sorted(getattr(row, field.name).values_list("pk", flat=True))
    return getattr(row, field.attname)


def _digest(row: Any, changes: list[FieldChange]) -> str:
    values = {each.field: str(_current(row, each)) for each in changes}
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def _key(record: Any) -> Any:
    return getattr(record, record.instance_type._meta.pk.attname)  # noqa: SLF001 # documented


def _moment(record: Any) -> str:
    return date_format(timezone.localtime(record.history_date), "j F Y, H:i")
