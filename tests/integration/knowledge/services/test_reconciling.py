"""Work that lost its worker or its task."""

from datetime import timedelta

import pytest
from django.utils import timezone

from knowledge.ingestion.types import ParsedDocument
from knowledge.models import (
    Document,
    DocumentBody,
    DocumentStatus,
    IngestionRun,
    RunKind,
    RunStatus,
    RunTrigger,
)
from knowledge.services.attendance import Attendance
from knowledge.services.backoff import WORKER_DEATH
from knowledge.services.claims import Claim, RunContext, claim_documents, claim_versions
from knowledge.services.reconciling import reconcile
from knowledge.services.runs import RunBusyError, cancel_run, create_run, running, start_run
from tests.factories.knowledge import DocumentFactory
from tests.integration.knowledge.conftest import NOW

HOUR = timedelta(hours=1)


def look(queued=(), *, later=HOUR):
    return reconcile(is_queued=lambda run: run.pk in queued, now=timezone.now() + later)


def started(source, *, queued=True, kind=RunKind.REINDEX_SOURCE, **values):
    run = create_run(source=source, trigger=RunTrigger.ADMIN, kind=kind)
    IngestionRun.objects.filter(pk=run.pk).update(
        queued_at=timezone.now() if queued else None, **values
    )
    run.refresh_from_db()
    return start_run(run=run)


def claim_new(shelf, run, external_id="new.md"):
    claim = Claim(
        parsed=ParsedDocument(external_id=external_id, text="x"),
        content_hash="hash",
        language="english",
        document_id=None,
    )
    claim_versions(
        [claim],
        source_id=shelf.source.pk,
        attended=frozenset(),
        run=RunContext.of(run),
        now=NOW,
    )
    return Document.objects.get(external_id=external_id)


def test_reconcile__a_run_whose_worker_died_is_given_out_again(shelf):
    run = started(shelf.source)

    assert look(later=timedelta()).counts["set_back"] == 0
    found = look()

    assert (found.set_back, found.to_queue) == (1, (run.pk,))
    run.refresh_from_db()
    assert (run.status, run.status_reason, run.setbacks) == ("waiting", "Its worker died.", 1)
    with running(run):
        pass
    run.refresh_from_db()
    assert (run.status, run.status_reason) == (RunStatus.DONE, "")


def test_reconcile__a_run_that_never_gets_further_fails_in_the_end(shelf):
    run = started(shelf.source)
    for _ in range(WORKER_DEATH.most - 1):
        assert look().set_back == 1
        IngestionRun.objects.update(queued_at=timezone.now(), due_at=None)
        run = start_run(run=run)

    assert look().runs_failed == 1

    run.refresh_from_db()
    assert run.status == RunStatus.FAILED
    assert run.status_reason == "Its worker died again and again without getting any further."


def test_reconcile__getting_further_counts_anew(shelf):
    run = started(shelf.source)
    for number in range(WORKER_DEATH.most + 1):
        claim_new(shelf, run, f"{number}.md")
        look()
        IngestionRun.objects.update(queued_at=timezone.now(), due_at=None)
        run = start_run(run=run)

    assert run.setbacks == 1


def test_reconcile__a_command_that_died_is_not_taken_up(shelf):
    run = started(shelf.source, queued=False, kind=RunKind.IMPORT)
    new = claim_new(shelf, run)
    shelf.store("old.md", "Open until 18:00.")
    old = Document.objects.get(external_id="old.md")
    with Attendance() as attendance:
        claim_documents([old.pk], attendance=attendance, run=RunContext.of(run))

    found = look()

    assert (found.runs_failed, found.documents_failed, found.leases_ended) == (1, 1, 1)
    run.refresh_from_db()
    assert run.status == RunStatus.FAILED
    assert "Start it again" in run.status_reason
    new.refresh_from_db()
    assert new.status == DocumentStatus.FAILED
    assert new.status_reason == (
        "The process that read it ended before it was done; read it again."
    )
    old.refresh_from_db()
    assert (old.status, old.lease_until, old.attempts) == (DocumentStatus.READY, None, 1)


def test_reconcile__a_cancelled_run_whose_worker_died(shelf):
    run = started(shelf.source)
    cancel_run(run=run, now=NOW)

    look()

    run.refresh_from_db()
    assert run.status == RunStatus.CANCELLED


def test_reconcile__a_document_that_killed_three_workers(shelf):
    shelf.store("a.md", "Open until 18:00.")
    document = Document.objects.get()
    for _ in range(3):
        with Attendance() as attendance:
            claim_documents([document.pk], attendance=attendance, run=None)

    assert look().documents_failed == 1

    document.refresh_from_db()
    assert (document.status, document.lease_until) == (DocumentStatus.FAILED, None)
    assert document.status_reason == (
        "Update failed: The worker died while reading it, three times; the old version is still"
        " shown."
    )
    assert document.chunks.get().is_active


def test_reconcile__a_document_that_waits_without_a_task_is_indexed(shelf):
    document = DocumentFactory(source=shelf.source, status=DocumentStatus.PENDING)
    DocumentBody.objects.create(document=document, text="Blue lantern policy")

    found = look()

    run = IngestionRun.objects.get()
    assert (found.documents_requeued, found.to_queue) == (1, (run.pk,))
    assert (run.kind, run.arguments) == ("reindex_documents", {"document_ids": [document.pk]})
    assert look(queued={run.pk}).documents_requeued == 0
    assert IngestionRun.objects.count() == 1


def test_reconcile__a_document_that_waits_without_text_or_task_fails(shelf):
    document = DocumentFactory(source=shelf.source, status=DocumentStatus.PENDING)

    assert look(later=timedelta()).documents_failed == 0
    assert look().documents_failed == 1

    document.refresh_from_db()
    assert document.status == DocumentStatus.FAILED


@pytest.mark.parametrize(
    ("values", "is_due"),
    [
        ({"queued_at": -HOUR}, True),
        ({"queued_at": timedelta()}, False),
        ({"due_at": -HOUR}, True),
        ({"due_at": HOUR}, False),
        ({"kind": "", "queued_at": -HOUR}, False),
        ({"status": "cancelled", "queued_at": -HOUR}, False),
    ],
)
def test_reconcile__waiting_runs_without_a_task(shelf, values, is_due):
    run = create_run(source=shelf.source, trigger=RunTrigger.ADMIN, kind=RunKind.REINDEX_SOURCE)
    now = timezone.now()
    moments = {key: now + value for key, value in values.items() if key.endswith("_at")}
    IngestionRun.objects.filter(pk=run.pk).update(**{**values, **moments})

    assert look(later=timedelta()).to_queue == ((run.pk,) if is_due else ())
    assert look(queued={run.pk}, later=timedelta()).to_queue == (
        (run.pk,) if is_due and "due_at" in values else ()
    )


def test_start_run__while_another_process_is_at_it(shelf):
    """Row T20: the second task for a run ends at once."""
    run = started(shelf.source)

    with pytest.raises(RunBusyError):
        start_run(run=run)
