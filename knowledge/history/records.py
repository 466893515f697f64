"""History tables that say in words what changed, written in the transaction of the change."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.db import models
from django.db.models.signals import m2m_changed, pre_save
from simple_history.models import HistoricalRecords
from simple_history.signals import pre_create_historical_record

from knowledge.history.acting import acting_person, given_reason
from knowledge.history.fields import FieldChange, describe, differences

NAME_CHARACTERS = 300
REASON_CHARACTERS = 300


@contextmanager
def as_one_change(instance: Any) -> Iterator[None]:
    """Record what is linked to a row within, and the save that follows within, as one change."""
    vars(instance)["_history_linked"] = {}
    try:
        yield
    finally:
        vars(instance).pop("_history_linked")


class CuratedChange(models.Model):
    """What a row of a history table says besides the values after the change."""

    history_name = models.CharField(max_length=NAME_CHARACTERS)
    history_by = models.CharField(max_length=200, blank=True)
    history_changes = models.JSONField(default=list)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.history_name


class CuratedRecords(HistoricalRecords):  # type: ignore[misc] # the library has no types
    """History of a model: one row for each save that changed something, none for others.

    With `by_people_only` only what a person does is kept: ingestion writes thousands of documents
    and no history. `is_decision` tells by field name, old and new value whether a change counts.
    """

    def __init__(
        self,
        *,
        without: Sequence[str] = (),
        relations: Sequence[str] = (),
        by_people_only: bool = False,
        name_of: Callable[[Any], str] = str,
        is_decision: Callable[[str, Any, Any], bool] = lambda *_: True,
    ) -> None:
        self.relations = relations
        self.by_people_only = by_people_only
        self.name_of = name_of
        self.is_decision = is_decision
        super().__init__(
            bases=(CuratedChange,),
            excluded_fields=list(without),
            history_id_field=models.BigAutoField(),
            history_change_reason_field=models.CharField(
                max_length=REASON_CHARACTERS, blank=True, default=""
            ),
        )

    def finalize(self, sender: Any, **kwargs: Any) -> None:
        """Listen once the model is complete."""
        super().finalize(sender, **kwargs)
        if sender is not self.cls:
            return
        pre_save.connect(self.remember, sender=sender, weak=False)
        history = getattr(sender, self.manager_name).model
        pre_create_historical_record.connect(self.complete, sender=history, weak=False)
        for name in self.relations:
            through = getattr(sender, name).through
            m2m_changed.connect(partial(self.relate, name=name), sender=through, weak=False)

    def is_kept(self, instance: Any) -> bool:
        """Return whether a change made now is recorded."""
        return not self.by_people_only or self.get_history_user(instance) is not None

    def remember(self, instance: Any, *, raw: bool = False, **_: Any) -> None:
        """Read the row as it is before a save; its service holds a lock on it."""
        instance.__dict__.pop("_history_before", None)
        if raw or instance._state.adding or not self.is_kept(instance):  # noqa: SLF001 # documented
            return
        names = [field.attname for field in self.fields_included(instance)]
        rows = type(instance)._base_manager.filter(pk=instance.pk)  # noqa: SLF001 # documented
        vars(instance)["_history_before"] = rows.values(*names).first()

    def post_save(
        self,
        instance: Any,
        created: bool,  # noqa: FBT001 # the library's
        using: Any = None,
        **kwargs: Any,
    ) -> None:
        before = instance.__dict__.pop("_history_before", None)
        if not self.is_kept(instance):
            return
        changes: list[FieldChange] = []
        if not created:
            changes = [
                *vars(instance).get("_history_linked", {}).values(),
                *self._changes(instance, before or {}, kwargs.get("update_fields")),
            ]
            if not any(self.is_decision(each.field, each.old, each.new) for each in changes):
                return
        vars(instance)["_history_changes"] = changes
        super().post_save(instance, created, using=using, **kwargs)

    def pre_delete(self, instance: Any, **kwargs: Any) -> None:
        super().pre_delete(instance, **kwargs)
        if self.is_kept(instance):
            vars(instance)["_history_changes"] = [
                describe(field, _linked(instance, field.name), [])
                for name in self.relations
                if (field := type(instance)._meta.get_field(name))  # noqa: SLF001 # documented
            ]

    def post_delete(self, instance: Any, using: Any = None, **kwargs: Any) -> None:
        if self.is_kept(instance):
            super().post_delete(instance, using=using, **kwargs)

    def relate(
        self, *, name: str, instance: Any, action: str, pk_set: Any, reverse: bool, **_: Any
    ) -> None:
        """Record rows linked to or taken from a relation of many."""
        if reverse or not pk_set or action not in {"post_add", "post_remove"}:
            return
        if not self.is_kept(instance):
            return
        now = set(_linked(instance, name))
        before = now - pk_set if action == "post_add" else now | pk_set
        field = type(instance)._meta.get_field(name)  # noqa: SLF001 # documented
        change = describe(field, sorted(before), sorted(now))
        if (linked := vars(instance).get("_history_linked")) is not None:
            first = linked.get(name, change)
            linked[name] = replace(change, old=first.old, old_words=first.old_words)
            return
        vars(instance)["_history_changes"] = [change]
        self.create_historical_record(instance, "~")

    def complete(
        self, *, instance: Any, history_instance: Any, history_user: Any, **_: Any
    ) -> None:
        """Fill in what was changed, by whom and what the row was called."""
        changes = instance.__dict__.pop("_history_changes", [])
        history_instance.history_changes = [change.as_json() for change in changes]
        history_instance.history_by = self._author(history_user)[:200]
        history_instance.history_name = self._name(instance)

    def get_history_user(self, instance: Any) -> Any:
        return acting_person() or super().get_history_user(instance)

    def get_change_reason_for_object(self, instance: Any, history_type: str, using: Any) -> str:
        return given_reason()[:REASON_CHARACTERS]

    def _changes(self, instance: Any, before: Any, written: Any) -> list[FieldChange]:
        fields = [
            field
            for field in self.fields_included(instance)
            if written is None or field.name in written or field.attname in written
        ]
        after = {field.attname: getattr(instance, field.attname) for field in fields}
        return differences(fields, before, after)

    def _author(self, user: Any) -> str:
        if user is not None:
            return str(user.get_username())
        key: Any = getattr(getattr(self.context, "request", None), "auth", None)
        return f"API key {key.name}" if key is not None else ""

    def _name(self, instance: Any) -> str:
        try:
            return self.name_of(instance)[:NAME_CHARACTERS]
        except ObjectDoesNotExist:
            return str(instance)[:NAME_CHARACTERS]


def _linked(instance: Any, name: str) -> list[Any]:
    return sorted(getattr(instance, name).order_by().values_list("pk", flat=True))
