"""Background work: the only contact with the queue. Tasks take ids, reload and call services."""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from django.db import transaction
from django.utils import timezone
from django_q.tasks import async_task

from knowledge.embedding.registry import get_embedder, get_tokenizer
from knowledge.models import IngestionRun, RunTrigger, Source
from knowledge.services.ingest import Progress, Tools
from knowledge.services.reindex_runs import reindex_documents, reindex_source
from knowledge.services.runs import RunCancelledError, create_run
from knowledge.services.uploads import (
    UploadedFile,
    UploadOptions,
    keep_upload,
    purge_uploads,
    take_in_upload,
)


def enqueue_reindex_source(source_id: int, user_id: Any = None) -> int:
    """Ask the worker to reindex a source; return the id of the run, which waits until then."""
    run = create_run(
        source=Source.objects.get(pk=source_id), trigger=RunTrigger.ADMIN, user_id=user_id
    )
    _enqueue("knowledge.tasks.run_reindex_source", run.pk)
    return run.pk


def enqueue_reindex_documents(document_ids: Sequence[int], user_id: Any = None) -> int:
    """Ask the worker to reindex documents; return the id of the run, which waits until then."""
    ids = list(document_ids)
    run = create_run(source=None, trigger=RunTrigger.ADMIN, user_id=user_id, expected=len(ids))
    _enqueue("knowledge.tasks.run_reindex_documents", run.pk, ids)
    return run.pk


@transaction.atomic
def enqueue_upload(
    *, source: Source, files: Sequence[UploadedFile], options: UploadOptions, user_id: Any = None
) -> int:
    """Keep uploaded files and ask the worker to read them; return the id of the run.

    Raises InvalidInputError naming the field.
    """
    run = keep_upload(source=source, files=files, options=options, user_id=user_id)
    _enqueue("knowledge.tasks.run_upload", run.pk)
    return run.pk


def run_upload(run_id: int) -> None:
    """Read the uploaded files of a run; doing it twice is harmless."""
    run = IngestionRun.objects.get(pk=run_id)
    with suppress(RunCancelledError):
        take_in_upload(run=run, tools=_tools(), on_progress=_ignore)
    purge_uploads(now=timezone.now())


def run_reindex_source(run_id: int) -> None:
    """Reindex the source of a run; doing it twice is harmless."""
    run = IngestionRun.objects.get(pk=run_id)
    with suppress(RunCancelledError):
        reindex_source(run=run, tools=_tools(), on_progress=_ignore)


def run_reindex_documents(run_id: int, document_ids: Sequence[int]) -> None:
    """Reindex documents for a run; doing it twice is harmless."""
    run = IngestionRun.objects.get(pk=run_id)
    with suppress(RunCancelledError):
        reindex_documents(run=run, document_ids=document_ids, tools=_tools(), on_progress=_ignore)


def _enqueue(function: str, *arguments: Any) -> None:
    """Hand a task over once its run is committed: the worker would not find it before."""
    transaction.on_commit(partial(async_task, function, *arguments))


def _tools() -> Tools:
    return Tools(embedder=get_embedder(), tokenizer=get_tokenizer(), now=timezone.now())


def _ignore(progress: Progress) -> None:
    """Let the run itself tell its progress."""
