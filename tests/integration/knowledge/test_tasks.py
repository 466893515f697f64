"""Background work."""

import pytest
from django.db import transaction
from django_q.models import OrmQ

from knowledge.models import Chunk, Document, IngestionRun, RunStatus, RunTrigger
from knowledge.services import get_source
from knowledge.services.runs import create_run
from knowledge.tasks import (
    enqueue_reindex_documents,
    enqueue_reindex_source,
    run_reindex_documents,
    work_on_run,
)


@pytest.fixture
def stocked(shelf):
    for number in range(3):
        shelf.store(f"{number}.md", f"Lantern policy {number}")
    Chunk.objects.update(text="scribbled over")
    return shelf


def queued():
    return [task.func() for task in OrmQ.objects.order_by("pk")]


def test_enqueue_reindex_source__waits_for_the_worker(stocked, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        run_id = enqueue_reindex_source(source_id=stocked.source.pk)

    run = IngestionRun.objects.get(pk=run_id)
    assert (run.source, run.status, run.trigger) == (stocked.source, RunStatus.WAITING, "admin")
    (task,) = OrmQ.objects.all()
    assert task.func() == "knowledge.tasks.work_on_run"
    assert task.task["args"] == (run_id,)


def test_enqueue_reindex_source__nothing_is_queued_when_the_change_is_undone(
    stocked, django_capture_on_commit_callbacks
):
    class UndoneError(Exception):
        """Undoes the transaction."""

    def enqueue_and_undo():
        with transaction.atomic():
            enqueue_reindex_source(source_id=stocked.source.pk)
            raise UndoneError

    with django_capture_on_commit_callbacks(execute=True), pytest.raises(UndoneError):
        enqueue_and_undo()

    assert queued() == []
    assert not IngestionRun.objects.exists()


def test_work_on_run__to_done_and_twice_is_harmless(stocked):
    run_id = enqueue_reindex_source(source_id=stocked.source.pk)
    ids = list(Chunk.objects.values_list("pk", flat=True))

    work_on_run(run_id)
    work_on_run(run_id)

    run = IngestionRun.objects.get(pk=run_id)
    assert (run.status, run.expected, run.seen, run.failed) == (RunStatus.DONE, 3, 3, 0)
    assert list(Chunk.objects.values_list("pk", flat=True)) == ids
    assert not Chunk.objects.filter(text="scribbled over").exists()
    assert get_source("shelf").health == "ok"


def test_work_on_run__only_those(stocked):
    chosen = Document.objects.get(external_id="1.md")
    gone = chosen.pk + 1_000
    run_id = enqueue_reindex_documents(document_ids=[chosen.pk, gone])

    work_on_run(run_id)

    run = IngestionRun.objects.get(pk=run_id)
    assert (run.source, run.status, run.seen) == (None, RunStatus.DONE, 1)
    assert Chunk.objects.filter(text="scribbled over").count() == 2


def test_run_reindex_documents__as_the_release_before_queued_it(stocked):
    chosen = Document.objects.get(external_id="1.md")
    run = create_run(source=None, trigger=RunTrigger.ADMIN)

    run_reindex_documents(run.pk, [chosen.pk])

    run.refresh_from_db()
    assert (run.status, run.seen) == (RunStatus.DONE, 1)
