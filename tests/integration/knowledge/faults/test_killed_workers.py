"""Workers that are killed at random moments of an import; row T09.

`FAULT_DOCUMENTS=200 FAULT_KILLS=50` in the environment makes it the long version.
"""

import os
import random
import time

from django.db import connection
from django.utils import timezone

from knowledge.models import Chunk, Document, IngestionRun, RunStatus
from knowledge.services.imports import describe_import
from knowledge.services.ingest import plan_ingestion
from knowledge.tasks import enqueue_import, retry_run
from tests.integration.knowledge.faults.conftest import wait_until

DOCUMENTS = int(os.environ.get("FAULT_DOCUMENTS", "40"))
KILLS = int(os.environ.get("FAULT_KILLS", "8"))

LONG_AGO = "2001-01-01T00:00Z"

HALF_WRITTEN = """
SELECT document.external_id
FROM knowledge_document AS document
LEFT JOIN knowledge_chunk AS chunk ON chunk.document_id = document.id
LEFT JOIN knowledge_chunkembedding AS embedding ON embedding.chunk_id = chunk.id
LEFT JOIN knowledge_documentbody AS body ON body.document_id = document.id
GROUP BY document.id
HAVING count(DISTINCT chunk.id) <> document.chunk_count
  OR count(chunk.id) <> count(embedding.id)
  OR (document.status = 'ready') <> (count(body.document_id) > 0)
"""
PARAGRAPH = (
    "Lantern number {number}, lot {lot}, hangs in the hall beside the green door; whoever takes it"
    " signs the book, and brings it back before the harbour closes on the evening of that day."
)


def half_written():
    with connection.cursor() as cursor:
        cursor.execute(HALF_WRITTEN)
        return [row[0] for row in cursor.fetchall()]


def write_files(folder, count=DOCUMENTS):
    folder.mkdir()
    for number in range(count):
        lots = [PARAGRAPH.format(number=number, lot=lot) for lot in range(6)]
        (folder / f"{number:03}.md").write_text("\n\n".join([f"# Lantern {number}", *lots]))


def enqueue(source, folder):
    plan = plan_ingestion(paths=[folder], mapping={})
    return enqueue_import(source.pk, describe_import(plan, [folder]))


def final(run_id):
    return IngestionRun.objects.get(pk=run_id).is_over


def kill_workers(worker, run_id, chance):
    """Kill workers at random moments of a run, looking all the time what can be seen.

    Return how many were killed, and how many in a row at most before the run got any further.
    """
    run = IngestionRun.objects.filter(pk=run_id)
    killed = in_a_row = 0
    deadline = time.monotonic() + 20 * KILLS + 60
    last_killed_at = timezone.now()
    while killed < KILLS and time.monotonic() < deadline and not final(run_id):
        if not run.filter(status=RunStatus.RUNNING, heartbeat_at__gt=last_killed_at).exists():
            time.sleep(0.02)
            continue
        # Where nothing gets done between two kills, on a busy machine, they come more seldom.
        kill_at = time.monotonic() + chance.uniform(0.0, 2.0 + run.get().setbacks)
        while time.monotonic() < kill_at:
            assert half_written() == []
            time.sleep(0.02)
        last_killed_at = timezone.now()
        killed += worker.kill_one(chance)
        in_a_row = max(in_a_row, run.get().setbacks)
    return killed, in_a_row


def test_import__whose_workers_are_killed_comes_to_a_whole_end(
    shelf_source, queue_worker, tmp_path
):
    write_files(tmp_path / "files")
    worker = queue_worker()
    run_id = enqueue(shelf_source, tmp_path / "files")

    killed, in_a_row = kill_workers(worker, run_id, random.Random(7))
    wait_until(lambda: final(run_id), seconds=240, told="the end of the run")

    run = IngestionRun.objects.get(pk=run_id)
    assert run.status == RunStatus.DONE, run.status_reason
    assert half_written() == []
    documents = Document.objects.filter(source=shelf_source)
    assert documents.count() == run.seen == run.added + run.failed == DOCUMENTS
    assert not documents.filter(lease_until__isnull=False).exists()
    # One that three workers happened to die of is given up; a curator has it tried again.
    unlucky = documents.exclude(status="ready").values_list("status_reason", flat=True)
    assert set(unlucky) <= {"The worker died while reading it, three times."}
    if unlucky:
        (again,) = retry_run(run_id)
        wait_until(lambda: final(again), seconds=60, told="the end of the second run")
    assert set(documents.values_list("status", flat=True)) == {"ready"}
    for number in range(DOCUMENTS):
        texts = Chunk.objects.filter(document__external_id=f"{number:03}.md")
        whole = "\n\n".join(texts.order_by("position").values_list("text", flat=True))
        assert [whole.count(f"number {number}, lot {lot},") for lot in range(6)] == [1] * 6
    told = f"{killed} workers killed, {in_a_row} of them in a row without getting further"
    print(f"{told}, {run.added} documents added, {run.failed} unlucky")  # noqa: T201
    assert worker.stop() == 0


def test_import__a_poison_document_is_given_up_and_others_go_on(
    shelf_source, queue_worker, tmp_path
):
    """Case B33 and row T10; with a queue that cannot be read once the key was changed, row T17."""
    write_files(tmp_path / "files", count=8)
    (tmp_path / "files" / "000.md").write_text("POISON")
    run_id = enqueue(shelf_source, tmp_path / "files")
    IngestionRun.objects.update(queued_at=LONG_AGO, created_at=LONG_AGO)

    queue_worker(SECRET_KEY="another" * 10)
    wait_until(lambda: final(run_id), seconds=60, told="the end of the run")

    run = IngestionRun.objects.get(pk=run_id)
    assert (run.status, run.added, run.failed) == (RunStatus.DONE, 7, 1)
    poison = Document.objects.get(external_id="000.md")
    reason = "The worker died while reading it, three times."
    assert (poison.status, poison.status_reason, poison.attempts) == ("failed", reason, 3)
    assert half_written() == []
