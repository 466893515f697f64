"""Tries failed documents once more: from the text that is kept, else from where they came."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from crmind.exceptions import ConflictError
from knowledge.models import Document, IngestionLogEntry, IngestionRun, RunKind, RunTrigger
from knowledge.services.runs import create_run

REINDEXING = frozenset({RunKind.REINDEX_SOURCE, RunKind.REINDEX_DOCUMENTS})
NOTHING_FAILED = "No document of this run failed, so there is nothing to try again."
NOT_KEPT = (
    "The text of {names} is not kept, and the place it came from cannot be read again from here."
    " Send it once more."
)
SHOWN_NAMES = 3


class NothingToRetryError(ConflictError):
    """There is nothing that could be tried again."""

    code = "nothing_to_retry"


@transaction.atomic
def plan_retry_of_run(*, run: IngestionRun, user_id: Any = None) -> list[IngestionRun]:
    """Make the runs that try the failed documents of a run again, and no others.

    Raises NothingToRetryError.
    """
    told = run.log.filter(level=IngestionLogEntry.Level.ERROR).values("external_id")
    failed = Document.objects.filter(last_run=run, external_id__in=told)
    if not failed.exists():
        raise NothingToRetryError(NOTHING_FAILED)
    if run.kind in REINDEXING:
        return [_index_again(run, list(failed.values_list("pk", flat=True)), user_id)]
    return plan_retry(documents=failed, user_id=user_id)


@transaction.atomic
def plan_retry(*, documents: QuerySet[Document], user_id: Any = None) -> list[IngestionRun]:
    """Make the runs that read documents again where they came from; their tries count anew.

    Raises NothingToRetryError if one of them cannot be had again.
    """
    rows = list(documents.select_related("last_run__source").order_by("pk"))
    to_read: dict[IngestionRun, list[str]] = defaultdict(list)
    lost = []
    for row in rows:
        run = row.last_run
        if run and run.source_id and run.kind and run.kind not in REINDEXING:
            to_read[run].append(row.external_id)
        else:
            lost.append(row.external_id)
    if lost or not rows:
        raise NothingToRetryError(NOT_KEPT.format(names=_named(lost)) if lost else NOTHING_FAILED)
    Document.objects.filter(pk__in=[row.pk for row in rows]).update(attempts=0, claimed_hash="")
    return [_read_again(run, names, user_id) for run, names in to_read.items()]


def _read_again(run: IngestionRun, external_ids: list[str], user_id: Any) -> IngestionRun:
    again = create_run(
        source=run.source,
        trigger=RunTrigger.ADMIN,
        user_id=user_id,
        expected=len(external_ids),
        kind=run.kind,
        arguments={**run.arguments, "only": external_ids},
    )
    again.retry_of = run
    again.save(update_fields=["retry_of"])
    return again


def _index_again(run: IngestionRun, document_ids: list[int], user_id: Any) -> IngestionRun:
    Document.objects.filter(pk__in=document_ids).update(attempts=0, claimed_hash="")
    again = create_run(
        source=run.source,
        trigger=RunTrigger.ADMIN,
        user_id=user_id,
        expected=len(document_ids),
        kind=RunKind.REINDEX_DOCUMENTS,
        arguments={"document_ids": document_ids},
    )
    again.retry_of = run
    again.save(update_fields=["retry_of"])
    return again


def _named(names: Iterable[str]) -> str:
    shown = [repr(name) for name in names]
    more = f" and {len(shown) - SHOWN_NAMES} more" if len(shown) > SHOWN_NAMES else ""
    return ", ".join(shown[:SHOWN_NAMES]) + more
