"""History of rows that one statement wrote: `bulk_create` and `bulk_update` tell nobody."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import models
from django.utils import timezone
from simple_history.signals import pre_create_historical_record

from knowledge.history.acting import given_reason
from knowledge.history.fields import FieldChange
from knowledge.history.records import REASON_CHARACTERS

ROWS_AT_ONCE = 1_000


def record_many(
    rows: Sequence[models.Model], *, changes: Mapping[Any, Sequence[FieldChange]] | None = None
) -> None:
    """Keep that rows of one model were made or, where `changes` tells what by key, changed.

    What the name of a row is made of has to be loaded, or each costs a query.
    """
    if not rows:
        return
    history: Any = type(rows[0]).history.model  # type: ignore[attr-defined] # of a model with a history
    facts = {
        "history_date": timezone.now(),
        "history_user": history.get_default_history_user(rows[0]),
        "history_change_reason": given_reason()[:REASON_CHARACTERS],
    }
    kept = []
    for row in rows:
        vars(row)["_history_changes"] = [] if changes is None else changes[row.pk]
        record = history(
            **facts,
            history_type="+" if changes is None else "~",
            **{field.attname: getattr(row, field.attname) for field in history.tracked_fields},
        )
        pre_create_historical_record.send(
            sender=history, instance=row, history_instance=record, using=None, **facts
        )
        kept.append(record)
    history._base_manager.bulk_create(kept, batch_size=ROWS_AT_ONCE)  # noqa: SLF001 # documented
