"""Runs, their counts, log and effect on the source."""

import pytest
from django.utils import timezone

from knowledge.models import IngestionLogEntry, RunStatus, RunTrigger, SourceHealth
from knowledge.services import Outcome, StoreOutcome
from knowledge.services.runs import RunCancelledError, cancel_run, create_run, running


def outcome(external_id="a.md", kind=Outcome.ADDED, status="ready", **values):
    return StoreOutcome(
        external_id=external_id, document_id=1, outcome=kind, status=status, **values
    )


@pytest.fixture
def run(shelf):
    return create_run(source=shelf.source, trigger=RunTrigger.COMMAND)


def test_running__counts_and_logs(run):
    with running(run, expected=9) as recorder:
        recorder.record(outcome())
        recorder.record(outcome(kind=Outcome.UPDATED, warnings=("3 NUL characters removed",)))
        recorder.record(outcome(kind=Outcome.UNCHANGED, warnings=("as before",)))
        recorder.record(
            outcome("locked.pdf", Outcome.FAILED, "needs_attention", reason="It is locked.")
        )
        recorder.note("export.csv: line 3 left out")

    run.refresh_from_db()
    counts = (run.seen, run.added, run.updated, run.unchanged, run.failed)
    assert counts == (4, 1, 1, 1, 1)
    assert (run.status, run.expected, run.status_reason) == (RunStatus.DONE, 4, "")
    assert run.started_at <= run.heartbeat_at <= run.finished_at
    log = list(run.log.values_list("level", "external_id", "message"))
    assert log == [
        ("warning", "a.md", "3 NUL characters removed"),
        ("error", "locked.pdf", "It is locked."),
        ("warning", "", "export.csv: line 3 left out"),
    ]
    run.source.refresh_from_db()
    assert run.source.health == SourceHealth.DEGRADED
    assert run.source.health_reason == "1 of 4 documents need attention."
    assert run.source.last_run_at == run.finished_at


@pytest.mark.parametrize(
    ("statuses", "health"),
    [
        (["ready", "ready"], SourceHealth.OK),
        (["failed", "needs_attention"], SourceHealth.FAILING),
        (["ready", "failed"], SourceHealth.DEGRADED),
    ],
)
def test_running__health_of_the_source(run, statuses, health):
    with running(run) as recorder:
        for status in statuses:
            recorder.record(outcome(status=status))

    run.source.refresh_from_db()
    assert run.source.health == health


def test_running__an_error_is_recorded_and_goes_on(run):
    with pytest.raises(OSError, match="disk is full"), running(run):
        raise OSError("disk is full")

    run.refresh_from_db()
    run.source.refresh_from_db()
    assert (run.status, run.status_reason) == (RunStatus.FAILED, "disk is full")
    assert run.source.health == SourceHealth.FAILING


def test_running__interrupted(run):
    with pytest.raises(KeyboardInterrupt), running(run):
        raise KeyboardInterrupt

    run.refresh_from_db()
    assert (run.status, run.status_reason) == (RunStatus.FAILED, "The run was interrupted.")


def test_running__stops_where_somebody_cancels(run):
    with running(run) as recorder:
        recorder.record(outcome())
        cancel_run(run=run, now=timezone.now())
        recorder.flush()
        pytest.fail("the run went on")

    run.refresh_from_db()
    assert (run.status, run.seen) == (RunStatus.CANCELLED, 1)


def test_cancel_run__one_that_waits_never_starts(run):
    assert cancel_run(run=run, now=timezone.now()).status == RunStatus.CANCELLED

    with pytest.raises(RunCancelledError), running(run):
        pytest.fail("the run started")


def test_running__again_after_a_crash_counts_from_nothing(run):
    def die():
        with running(run) as recorder:
            recorder.record(outcome(status="failed", reason="x"))
            recorder.flush()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        die()

    with running(run) as recorder:
        recorder.record(outcome())

    run.refresh_from_db()
    assert (run.seen, run.added, run.failed, run.status) == (1, 1, 0, RunStatus.DONE)
    assert not IngestionLogEntry.objects.exists()
