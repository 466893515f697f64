"""Tries failed documents and runs once more: where they came from, else from the text kept."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from crmind.exceptions import ConflictError
from knowledge.models import (
    Document,
    DocumentBody,
    IngestionLogEntry,
    IngestionRun,
    RunKind,
    RunStatus,
    RunTrigger,
    Source,
)
from knowledge.services.claims import forget_tries
from knowledge.services.runs import create_run
from knowledge.services.schedules import plan_refresh_run
from knowledge.services.timetable import is_refreshable

REINDEXING = frozenset({RunKind.REINDEX_SOURCE, RunKind.REINDEX_DOCUMENTS})
NOTHING_FAILED = "No document of this run failed, so there is nothing to try again."
NONE_LEFT = (
    "What failed in this run was worked on again since, or was refused before it became a document:"
    " there is nothing to try again here. Look at the documents, or check the source again."
)
NOT_KEPT = (
    "The text of {names} is not kept, and the place it came from cannot be read again from here."
    " Send it once more."
)
NOT_OVER = "The run is not over yet. Cancel it first, or wait for its end."
NOT_REPEATABLE = "Nothing tells what this run read. Start it again where it was started."
SHOWN_NAMES = 3


class NothingToRetryError(ConflictError):
    """There is nothing that could be tried again."""

    code = "nothing_to_retry"


class Way(Enum):
    """How a failed document can be had again."""

    ITS_RUN = auto()
    ITS_SOURCE = auto()
    ITS_TEXT = auto()
    NONE = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """The runs that try documents again, and the names of those that cannot be had again."""

    runs: tuple[IngestionRun, ...]
    left_out: tuple[str, ...] = ()

    @property
    def refusal(self) -> str:
        """Why some were left out, empty if none were."""
        return NOT_KEPT.format(names=_named(self.left_out)) if self.left_out else ""


def way_back(document: Document, *, has_body: bool) -> Way:
    """Return how a failed document can be had again; `last_run` and `source` are read.

    The text that is kept helps only where there are no passages yet: else it is that of the
    version before the one that failed.
    """
    run = document.last_run
    if run and run.source_id and run.kind and run.kind not in REINDEXING:
        return Way.ITS_RUN
    if is_refreshable(document.source):
        return Way.ITS_SOURCE
    return Way.ITS_TEXT if has_body and not document.chunk_count else Way.NONE


@transaction.atomic
def plan_retry_of_run(*, run: IngestionRun, user_id: Any = None) -> Sequence[IngestionRun]:
    """Make the runs that try the failed documents of a run again, and no others.

    Raises NothingToRetryError.
    """
    told = run.log.filter(level=IngestionLogEntry.Level.ERROR).values("external_id")
    failed = Document.objects.filter(last_run=run, external_id__in=told)
    if not failed.exists():
        raise NothingToRetryError(NONE_LEFT if run.failed else NOTHING_FAILED)
    if run.kind in REINDEXING:
        return [_index(list(failed.values_list("pk", flat=True)), user_id, run=run)]
    return plan_retry(documents=failed, user_id=user_id).runs


@transaction.atomic
def plan_retry(*, documents: QuerySet[Document], user_id: Any = None) -> Retries:
    """Make the runs that take documents in once more; their tries count anew.

    Raises NothingToRetryError if none of them can be had again.
    """
    has_body = Exists(DocumentBody.objects.filter(document=OuterRef("pk")))
    rows = documents.select_related("last_run__source", "source").annotate(has_body=has_body)
    by_way: dict[Way, list[Any]] = defaultdict(list)
    for row in rows.order_by("pk"):
        by_way[way_back(row, has_body=row.has_body)].append(row)
    left_out = tuple(row.external_id for row in by_way.pop(Way.NONE, ()))
    if not by_way:
        raise NothingToRetryError(Retries(runs=(), left_out=left_out).refusal or NOTHING_FAILED)
    keys = [row.pk for each in by_way.values() for row in each]
    Document.objects.filter(pk__in=keys).update(attempts=0, claimed_hash="")
    runs = [
        *_read_again(by_way[Way.ITS_RUN], user_id),
        *_refresh({row.source for row in by_way[Way.ITS_SOURCE]}, user_id),
    ]
    if to_index := [row.pk for row in by_way[Way.ITS_TEXT]]:
        runs.append(_index(to_index, user_id))
    return Retries(runs=tuple(runs), left_out=left_out)


@transaction.atomic
def plan_rerun(*, run: IngestionRun, user_id: Any = None) -> IngestionRun:
    """Make the run that does once more what one did that failed as a whole, or was cancelled.

    Raises NothingToRetryError, or ListingError for a source that no longer says where it lies.
    """
    if run.status not in {RunStatus.FAILED, RunStatus.CANCELLED}:
        raise NothingToRetryError(NOTHING_FAILED if run.is_over else NOT_OVER)
    if not run.kind:
        raise NothingToRetryError(NOT_REPEATABLE)
    forget_tries(Document.objects.filter(last_run=run))
    if run.kind == RunKind.REFRESH and run.source and not run.arguments:
        return plan_refresh_run(run.source, trigger=RunTrigger.ADMIN, user_id=user_id)[0]
    return _again(run, run.arguments, user_id, expected=run.expected)


def _read_again(rows: Iterable[Any], user_id: Any) -> Iterable[IngestionRun]:
    names: dict[IngestionRun, list[str]] = defaultdict(list)
    for row in rows:
        names[row.last_run].append(row.external_id)
    for run, only in names.items():
        yield _again(run, {**run.arguments, "only": only}, user_id, expected=len(only))


def _refresh(sources: Iterable[Source], user_id: Any) -> Iterable[IngestionRun]:
    for source in sorted(sources, key=lambda each: each.pk):
        run, _ = plan_refresh_run(source, trigger=RunTrigger.ADMIN, user_id=user_id)
        yield run


def _index(
    document_ids: list[int], user_id: Any, *, run: IngestionRun | None = None
) -> IngestionRun:
    Document.objects.filter(pk__in=document_ids).update(attempts=0, claimed_hash="")
    again = create_run(
        source=run.source if run else None,
        trigger=RunTrigger.ADMIN,
        user_id=user_id,
        expected=len(document_ids),
        kind=RunKind.REINDEX_DOCUMENTS,
        arguments={"document_ids": document_ids},
    )
    again.retry_of = run
    again.save(update_fields=["retry_of"])
    return again


def _again(
    run: IngestionRun, arguments: dict[str, Any], user_id: Any, *, expected: int | None
) -> IngestionRun:
    again = create_run(
        source=run.source,
        trigger=RunTrigger.ADMIN,
        user_id=user_id,
        expected=expected,
        kind=run.kind,
        arguments=arguments,
    )
    again.retry_of = run
    again.save(update_fields=["retry_of"])
    return again


def _named(names: Iterable[str]) -> str:
    shown = [repr(name) for name in names]
    more = f" and {len(shown) - SHOWN_NAMES} more" if len(shown) > SHOWN_NAMES else ""
    return ", ".join(shown[:SHOWN_NAMES]) + more
