"""Sources that are read again when their moment has come."""

import threading
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connections, transaction
from django.utils import timezone
from django_q.models import OrmQ

from knowledge.embedding.hashing import HashingEmbedder
from knowledge.exceptions import ListingError, ScheduleError, SourceBusyError
from knowledge.models import Document, IngestionRun, RunTrigger, Source
from knowledge.seed import seed_source_types
from knowledge.services import update_source
from knowledge.services.ingest import plan_refresh
from knowledge.services.schedules import claim_due_sources, plan_refresh_run
from knowledge.services.source_lock import alone_with, is_taken
from knowledge.tasks import check_due_sources, enqueue_refresh, work_on_run
from tests.factories.knowledge import SourceFactory

NOON = datetime(2031, 7, 1, 10, tzinfo=UTC)


@pytest.fixture(autouse=True)
def berlin(settings):
    settings.TIME_ZONE = "Europe/Berlin"
    timezone.get_default_timezone.cache_clear()
    yield
    timezone.get_default_timezone.cache_clear()


@pytest.fixture
def folder(tmp_path):
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text(f"Note {name}")
    return tmp_path


@pytest.fixture
def source(seeded, folder):
    return SourceFactory(name="notes", connector="folder", location=str(folder))


def queued_runs():
    return [row.task["args"][0] for row in OrmQ.objects.order_by("pk")]


def planned(source):
    return Source.objects.get(pk=source.pk).next_check_at


def schedule(source, expression, at):
    update_source(source=source, refresh_schedule=expression)
    Source.objects.update(next_check_at=at)


def test_update_source__works_out_the_next_moment(source):
    update_source(source=source, refresh_schedule="30 6 * * *")

    local = planned(source).astimezone(timezone.get_default_timezone())
    assert (local.hour, local.minute) == (6, 30)
    assert timedelta() < planned(source) - timezone.now() <= timedelta(hours=25)
    update_source(source=source, enabled=False)
    assert planned(source) is None
    update_source(source=source, enabled=True)
    assert planned(source)
    update_source(source=source, refresh_schedule="")
    assert planned(source) is None


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"refresh_schedule": "never"}, ScheduleError),
        ({"refresh_schedule": "0 0 30 2 *"}, ScheduleError),
        ({"refresh_schedule": "0 6 * * *", "location": ""}, ListingError),
        ({"refresh_schedule": "0 6 * * *", "connector": "push"}, ListingError),
    ],
)
def test_update_source__schedules_that_mean_nothing_are_refused(source, changes, error):
    with pytest.raises(error):
        update_source(source=source, **changes)


def test_claim__once_when_the_moment_has_come(source):
    schedule(source, "0 * * * *", NOON)

    assert claim_due_sources(now=NOON - timedelta(seconds=1)) == []
    assert claim_due_sources(now=NOON + timedelta(seconds=1)) == [source]
    assert claim_due_sources(now=NOON + timedelta(seconds=1)) == []
    assert planned(source) == NOON + timedelta(hours=1)


def test_claim__once_after_a_pause_of_days(source):
    schedule(source, "0 * * * *", NOON)
    back = NOON + timedelta(days=3, minutes=10)

    assert claim_due_sources(now=back) == [source]
    assert claim_due_sources(now=back) == []
    assert planned(source) == NOON + timedelta(days=3, hours=1)


@pytest.mark.parametrize("rest", [{"enabled": False}, {"is_paused": True}])
def test_claim__nothing_for_sources_that_rest(source, rest):
    schedule(source, "0 * * * *", NOON)
    Source.objects.update(**rest)

    assert claim_due_sources(now=NOON + timedelta(days=1)) == []


def test_claim__a_schedule_without_a_moment_gets_one(source):
    """A schedule that was written past the services is not due at once."""
    Source.objects.update(refresh_schedule="0 12 * * *", next_check_at=None)

    assert claim_due_sources(now=NOON) == []
    assert planned(source) == NOON + timedelta(days=1)
    Source.objects.update(refresh_schedule="rubbish", next_check_at=None)
    assert claim_due_sources(now=NOON) == []


@pytest.mark.parametrize(
    ("night", "hours"),
    [(datetime(2031, 3, 30, 0, tzinfo=UTC), 23), (datetime(2031, 10, 26, 0, tzinfo=UTC), 25)],
)
def test_claim__every_hour_through_both_odd_nights(source, night, hours):
    start = night - timedelta(hours=2)
    schedule(source, "0 * * * *", start)
    zone = timezone.get_default_timezone()
    day = night.astimezone(zone).date()

    claimed = [
        moment
        for minutes in range(0, 28 * 60, 20)
        if claim_due_sources(now=(moment := start + timedelta(minutes=minutes)))
        and moment.astimezone(zone).date() == day
    ]

    assert len(claimed) == hours


def test_check_due_sources__reads_what_is_new(
    source, folder, monkeypatch, django_capture_on_commit_callbacks
):
    embedded = []
    embed = HashingEmbedder.embed_passages
    monkeypatch.setattr(
        HashingEmbedder,
        "embed_passages",
        lambda self, texts: embedded.extend(texts) or embed(self, texts),
    )
    schedule(source, "0 * * * *", timezone.now() - timedelta(minutes=1))
    with django_capture_on_commit_callbacks(execute=True):
        (run,) = check_due_sources()
    assert queued_runs() == [run.pk]
    work_on_run(run.pk)
    work_on_run(run.pk)

    run.refresh_from_db()
    assert (run.status, run.trigger, run.added) == ("done", "schedule", 2)
    assert len(embedded) == 2

    (folder / "c.md").write_text("Note c.md")
    Source.objects.update(next_check_at=timezone.now() - timedelta(minutes=1))
    (second,) = check_due_sources()
    work_on_run(second.pk)
    second.refresh_from_db()
    assert (second.added, second.unchanged) == (1, 2)
    assert len(embedded) == 3


def test_refresh__what_cannot_be_read_fails_the_run(source, folder):
    for path in folder.iterdir():
        path.unlink()
    run = enqueue_refresh(source, trigger=RunTrigger.ADMIN)

    work_on_run(run.pk)

    run.refresh_from_db()
    assert run.status == "failed"
    assert "there are no files" in run.status_reason
    assert Source.objects.get().health == "failing"


def test_refresh__a_place_that_became_a_link_out_is_not_read(source, tmp_path, settings):
    """Row T35: whoever may write below the folders of the operator leads nobody out of them."""
    root, secret = tmp_path / "root", tmp_path / "secret"
    for path in (root / "kept" / "a.md", root / "inner" / "b.md", secret / "key.md"):
        path.parent.mkdir(parents=True)
        path.write_text(f"Note {path.name}")
    settings.CRMIND_KNOWLEDGE = {**settings.CRMIND_KNOWLEDGE, "INGEST_ROOTS": [str(root)]}
    source = update_source(source=source, location=str(root / "inner"))
    (root / "inner").rename(root / "before")
    (root / "inner").symlink_to(secret)

    with pytest.raises(ListingError, match=r"inner has become a link to .*secret"):
        plan_refresh(source)

    (root / "inner").unlink()
    (root / "inner").symlink_to(root / "kept")
    assert [file.external_id for file in plan_refresh(source).files] == ["a.md"]


def test_enqueue_refresh__one_that_waits_will_do(source, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        first = enqueue_refresh(source, trigger=RunTrigger.ADMIN)
        second = enqueue_refresh(source, trigger=RunTrigger.WEBHOOK)

    assert first == second
    assert queued_runs() == [first.pk]


def test_plan_refresh_run__beside_one_under_way(source):
    """What changed meanwhile is read afterwards; a schedule only sees to it that it is read."""
    running, _ = plan_refresh_run(source, trigger=RunTrigger.ADMIN)
    IngestionRun.objects.update(status="running")

    assert plan_refresh_run(source, trigger=RunTrigger.SCHEDULE) == (running, False)
    after, is_new = plan_refresh_run(source, trigger=RunTrigger.WEBHOOK)
    assert (after != running, is_new) == (True, True)


def test_enqueue_refresh__nothing_is_left_of_what_is_undone(
    source, django_capture_on_commit_callbacks
):
    """Row T19."""

    class UndoneError(Exception):
        """Undoes the transaction."""

    def enqueue_and_undo():
        with transaction.atomic():
            enqueue_refresh(source, trigger=RunTrigger.ADMIN)
            raise UndoneError

    with django_capture_on_commit_callbacks(execute=True), pytest.raises(UndoneError):
        enqueue_and_undo()

    assert not IngestionRun.objects.exists()
    assert queued_runs() == []


def in_another_process(call):
    """Run `call` on a connection of its own."""
    results = []

    def work():
        try:
            results.append(call())
        except Exception as error:  # noqa: BLE001 # handed to the test
            results.append(error)
        finally:
            connections.close_all()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return results[0]


@pytest.mark.django_db(transaction=True)
def test_refresh__one_run_of_a_source_at_a_time(folder):
    seed_source_types()
    source = SourceFactory(name="notes", connector="folder", location=str(folder))
    first = enqueue_refresh(source, trigger=RunTrigger.ADMIN)

    def hold():
        with alone_with(source.pk):
            return

    with alone_with(source.pk):
        assert is_taken(source.pk)
        assert isinstance(in_another_process(hold), SourceBusyError)
        in_another_process(lambda: work_on_run(first.pk))
        first.refresh_from_db()
        assert first.status == "waiting"
        assert first.due_at > timezone.now()
    assert not is_taken(source.pk)
    work_on_run(first.pk)

    first.refresh_from_db()
    assert (first.status, Document.objects.count()) == ("done", 2)


@pytest.mark.django_db(transaction=True)
def test_claim__by_two_processes_at_once(folder):
    seed_source_types()
    source = SourceFactory(name="notes", connector="folder", location=str(folder))
    schedule(source, "0 * * * *", NOON)

    with transaction.atomic():
        Source.objects.select_for_update().get()
        assert in_another_process(lambda: claim_due_sources(now=NOON)) == []
    claims = [in_another_process(lambda: claim_due_sources(now=NOON)) for _ in range(2)]

    assert [len(claimed) for claimed in claims] == [1, 0]
