"""Background work: the only contact with the queue. Tasks take ids, reload and call services."""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import lru_cache, partial
from typing import Any

from django.db import transaction
from django.utils import timezone
from django_q.brokers import get_broker
from django_q.brokers.orm import ORM
from django_q.models import OrmQ
from django_q.tasks import async_task

from knowledge.embedding.registry import get_embedder, get_tokenizer
from knowledge.exceptions import ListingError, ReembeddingError, SourceBusyError
from knowledge.models import (
    Document,
    EmbeddingSpace,
    IngestionRun,
    RunKind,
    RunTrigger,
    Source,
    SpaceStatus,
)
from knowledge.services.claims import forget_tries
from knowledge.services.imports import import_files
from knowledge.services.ingest import Progress, Tools
from knowledge.services.reconciling import Reconciled
from knowledge.services.reconciling import reconcile as reconcile_work
from knowledge.services.recording import RunCancelledError
from knowledge.services.reembedding import (
    FillOutcome,
    FillProgress,
    abandoned_spaces,
    fill_space,
)
from knowledge.services.refreshing import refresh_source
from knowledge.services.reindex_runs import reindex_documents, reindex_source
from knowledge.services.retrying import Retries, plan_rerun, plan_retry, plan_retry_of_run
from knowledge.services.runs import RunBusyError, create_run, let_wait
from knowledge.services.schedules import claim_due_sources, plan_refresh_run
from knowledge.services.space_switch import drop_space
from knowledge.services.uploads import (
    UploadedFile,
    UploadOptions,
    keep_upload,
    purge_uploads,
    take_in_upload,
)

WORK_ON_RUN = "knowledge.tasks.work_on_run"
# A broker that cannot be looked into may have lost a task after this long.
LOST_AFTER = timedelta(minutes=10)

logger = logging.getLogger(__name__)


def enqueue_reindex_source(source_id: int, user_id: Any = None) -> int:
    """Ask the worker to reindex a source; return the id of the run, which waits until then."""
    forget_tries(Document.objects.filter(source=source_id))
    run = create_run(
        source=Source.objects.get(pk=source_id),
        trigger=RunTrigger.ADMIN,
        user_id=user_id,
        kind=RunKind.REINDEX_SOURCE,
    )
    enqueue_run(run)
    return run.pk


def enqueue_reindex_documents(document_ids: Sequence[int], user_id: Any = None) -> int:
    """Ask the worker to reindex documents; return the id of the run, which waits until then."""
    ids = list(document_ids)
    forget_tries(Document.objects.filter(pk__in=ids))
    run = create_run(
        source=None,
        trigger=RunTrigger.ADMIN,
        user_id=user_id,
        expected=len(ids),
        kind=RunKind.REINDEX_DOCUMENTS,
        arguments={"document_ids": ids},
    )
    enqueue_run(run)
    return run.pk


@transaction.atomic
def enqueue_upload(
    *, source: Source, files: Sequence[UploadedFile], options: UploadOptions, user_id: Any = None
) -> int:
    """Keep uploaded files and ask the worker to read them; return the id of the run.

    Raises InvalidInputError naming the field.
    """
    run = keep_upload(source=source, files=files, options=options, user_id=user_id)
    return enqueue_run(run)


def enqueue_import(
    source_id: int,
    arguments: Mapping[str, Any],
    *,
    trigger: RunTrigger = RunTrigger.COMMAND,
    user_id: Any = None,
) -> int:
    """Ask the worker to read files, as `describe_import` tells them; return the id of the run."""
    run = create_run(
        source=Source.objects.get(pk=source_id),
        trigger=trigger,
        user_id=user_id,
        kind=RunKind.IMPORT,
        arguments=arguments,
    )
    enqueue_run(run)
    return run.pk


def enqueue_refresh(source: Source, *, trigger: RunTrigger, user_id: Any = None) -> IngestionRun:
    """Ask the worker to read a source again where it lies; return the run that will.

    Raises ListingError for a source that does not say where it lies.
    """
    run, is_new = plan_refresh_run(source, trigger=trigger, user_id=user_id)
    if is_new:
        enqueue_run(run)
    return run


def check_due_sources() -> list[IngestionRun]:
    """Have the sources read again whose moment has come; return their runs."""
    runs = []
    for source in claim_due_sources(now=timezone.now()):
        try:
            runs.append(enqueue_refresh(source, trigger=RunTrigger.SCHEDULE))
        except ListingError as error:
            logger.warning("the schedule of source %s has no effect: %s", source.pk, error)
    return runs


def retry_run(run_id: int, user_id: Any = None) -> list[int]:
    """Ask the worker to try the failed documents of a run again; return the ids of the new runs.

    Raises NothingToRetryError.
    """
    runs = plan_retry_of_run(run=IngestionRun.objects.get(pk=run_id), user_id=user_id)
    return [enqueue_run(run) for run in runs]


def retry_documents(document_ids: Sequence[int], user_id: Any = None) -> Retries:
    """Ask the worker to take documents in once more; return the runs, and what was left out.

    Raises NothingToRetryError.
    """
    retries = plan_retry(documents=Document.objects.filter(pk__in=document_ids), user_id=user_id)
    for run in retries.runs:
        enqueue_run(run)
    return retries


def rerun(run_id: int, user_id: Any = None) -> int:
    """Ask the worker to do once more what a run did that failed or was cancelled; return its id.

    Raises NothingToRetryError.
    """
    run = IngestionRun.objects.select_related("source").get(pk=run_id)
    return enqueue_run(plan_rerun(run=run, user_id=user_id))


def enqueue_run(run: IngestionRun) -> int:
    """Hand a run to the queue once it is committed: the worker would not find it before."""
    run.queued_at = timezone.now()
    run.save(update_fields=["queued_at"])
    transaction.on_commit(partial(async_task, WORK_ON_RUN, run.pk))
    return run.pk


def work_on_run(run_id: int) -> None:
    """Do what a run says. A second task for it ends at once: it is over, or somebody is at it."""
    run = IngestionRun.objects.filter(pk=run_id).select_related("source").first()
    if run is None or run.is_over:
        return
    with suppress(RunCancelledError, RunBusyError):
        try:
            WORK[run.kind](run)
        except SourceBusyError as error:
            let_wait(run=run, reason=error.message, now=timezone.now())


def run_reindex_source(run_id: int) -> None:
    """Work on a run that the release before this one queued."""
    IngestionRun.objects.filter(pk=run_id, kind="").update(kind=RunKind.REINDEX_SOURCE)
    work_on_run(run_id)


def run_reindex_documents(run_id: int, document_ids: Sequence[int]) -> None:
    """Work on a run that the release before this one queued."""
    IngestionRun.objects.filter(pk=run_id, kind="").update(
        kind=RunKind.REINDEX_DOCUMENTS, arguments={"document_ids": list(document_ids)}
    )
    work_on_run(run_id)


def reconcile() -> Reconciled:
    """Bring to an end what lost its worker or its task; hand out what is due."""
    found = reconcile_work(is_queued=_queue_probe(), now=timezone.now())
    if found.to_queue:
        _forget_tasks(found.to_queue)
    for run in IngestionRun.objects.filter(pk__in=found.to_queue):
        enqueue_run(run)
    for space_id in abandoned_spaces(now=timezone.now()):
        enqueue_fill_space(space_id)
    if any(found.counts.values()):
        logger.info("reconciled: %s", found.counts)
    return found


def _reindex_source(run: IngestionRun) -> None:
    reindex_source(run=run, tools=_tools(), on_progress=_ignore)


def _reindex_documents(run: IngestionRun) -> None:
    reindex_documents(
        run=run,
        document_ids=run.arguments["document_ids"],
        tools=_tools(),
        on_progress=_ignore,
    )


def _import(run: IngestionRun) -> None:
    import_files(run=run, tools=_tools(), on_progress=_ignore)


def _refresh(run: IngestionRun) -> None:
    refresh_source(run=run, tools=_tools(), on_progress=_ignore)


def _upload(run: IngestionRun) -> None:
    take_in_upload(run=run, tools=_tools(), on_progress=_ignore)
    purge_uploads(now=timezone.now())


WORK: Mapping[str, Callable[[IngestionRun], None]] = {
    RunKind.REINDEX_SOURCE: _reindex_source,
    RunKind.REINDEX_DOCUMENTS: _reindex_documents,
    RunKind.IMPORT: _import,
    RunKind.UPLOAD: _upload,
    RunKind.REFRESH: _refresh,
}


def _queue_probe() -> Callable[[IngestionRun], bool]:
    """Return what tells whether a run still has a task."""
    broker = get_broker()
    if isinstance(broker, ORM):
        # Read only when there is a run to ask for: this is asked every few seconds.
        queued = lru_cache(maxsize=1)(lambda: {run_id for _, run_id in _queued_runs()})
        return lambda run: run.pk in queued()
    is_empty = broker.queue_size() == 0
    long_ago = timezone.now() - LOST_AFTER
    return lambda run: not is_empty and run.queued_at is not None and run.queued_at > long_ago


def _queued_runs() -> list[tuple[int, int]]:
    """Return (row, run) of each task for a run; tasks signed with another key are none."""
    tasks = [(row.pk, row.task) for row in OrmQ.objects.all()]
    return [(key, task["args"][0]) for key, task in tasks if task.get("func") in OWN_TASKS]


OWN_TASKS = frozenset(
    {
        WORK_ON_RUN,
        "knowledge.tasks.run_reindex_source",
        "knowledge.tasks.run_reindex_documents",
    }
)


def _forget_tasks(run_ids: Collection[int]) -> None:
    """Drop the tasks of workers that died: they would be given out again an hour later."""
    if isinstance(get_broker(), ORM):
        rows = [key for key, queued_run in _queued_runs() if queued_run in run_ids]
        OrmQ.objects.filter(pk__in=rows).delete()


def _tools() -> Tools:
    return Tools(embedder=get_embedder(), tokenizer=get_tokenizer(), now=timezone.now())


def _ignore(progress: Progress) -> None:
    """Let the run itself tell its progress."""


# A task that runs longer would keep others waiting, and the queue takes it for lost in an hour.
FILL_SECONDS = 120.0


def enqueue_fill_space(space_id: int) -> None:
    """Ask the worker to fill an embedding space, once that is committed."""
    EmbeddingSpace.objects.filter(pk=space_id).update(heartbeat_at=timezone.now())
    transaction.on_commit(partial(async_task, "knowledge.tasks.run_fill_space", space_id))


def run_fill_space(space_id: int) -> None:
    """Fill an embedding space for a while, then ask for the rest; doing it twice is harmless."""
    space = EmbeddingSpace.objects.filter(pk=space_id).first()
    if space is None or space.status not in {SpaceStatus.BUILDING, SpaceStatus.READY}:
        return
    with suppress(ReembeddingError):
        outcome = fill_space(space, on_progress=_forget, seconds=FILL_SECONDS)
        if outcome is FillOutcome.PAUSED:
            enqueue_fill_space(space_id)


def enqueue_drop_space(space_id: int) -> None:
    """Ask the worker to delete the vectors of an embedding space, once that is committed."""
    transaction.on_commit(partial(async_task, "knowledge.tasks.run_drop_space", space_id))


def run_drop_space(space_id: int) -> None:
    """Delete the vectors of an embedding space; doing it twice is harmless."""
    space = EmbeddingSpace.objects.filter(pk=space_id, status=SpaceStatus.RETIRED).first()
    if space is not None:
        drop_space(space=space, is_confirmed=True)


def _forget(progress: FillProgress) -> None:
    """Let the space itself tell its progress."""
