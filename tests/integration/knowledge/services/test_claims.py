"""Who works on which document."""

import threading

import pytest
from django.utils import timezone

from knowledge.exceptions import EmbeddingError, WorkerDiedError
from knowledge.ingestion.types import ParsedDocument
from knowledge.models import Document, DocumentStatus, IngestionRun, RunStatus, RunTrigger
from knowledge.services import store_documents
from knowledge.services.attendance import Attendance
from knowledge.services.claims import RunContext, claim_documents, renew_leases
from knowledge.services.heartbeat import beating
from knowledge.services.recording import RunRecorder
from knowledge.services.reindexing import reindex_in_batches
from knowledge.services.runs import cancel_run, create_run, running, start_run


class WorkerKilledError(BaseException):
    """Stands for the death of a worker."""


@pytest.fixture
def run(shelf):
    run = create_run(source=shelf.source, trigger=RunTrigger.ADMIN, kind="import")
    IngestionRun.objects.filter(pk=run.pk).update(queued_at=timezone.now())
    run.refresh_from_db()
    return run


def take_in(shelf, run, names, *, is_resumed=False):
    """Work on documents as a worker does that may be killed: nothing is tidied up."""
    context = RunContext(
        run_id=run.pk, began_at=run.created_at, is_resumed=is_resumed, is_queued=True
    )
    documents = [ParsedDocument(external_id=name, text=f"The text of {name}") for name in names]
    return [
        (outcome.external_id, outcome.outcome.value)
        for outcome in store_documents(parsed=documents, run=context, **shelf.tools)
    ]


@pytest.fixture
def deadly(shelf, monkeypatch):
    """Let the worker die of documents called so."""
    genuine = shelf.embedder.embed_passages

    def embed(texts):
        if any("deadly" in text for text in texts):
            raise WorkerKilledError
        return genuine(texts)

    monkeypatch.setattr(shelf.embedder, "embed_passages", embed)


def test_store_documents__what_a_worker_died_of_comes_last_and_alone(shelf, run, deadly):
    names = ["a.md", "deadly.md", "b.md"]
    for _ in range(3):
        with pytest.raises(WorkerKilledError):
            take_in(shelf, run, names)

    assert take_in(shelf, run, names, is_resumed=True) == [
        ("a.md", "added"),
        ("deadly.md", "failed"),
        ("b.md", "added"),
    ]
    document = Document.objects.get(external_id="deadly.md")
    assert (document.status, document.attempts) == (DocumentStatus.FAILED, 3)
    assert document.status_reason == "The worker died while reading it, three times."


def test_store_documents__healthy_ones_are_done_by_the_third_try(shelf, run, deadly):
    names = ["a.md", "deadly.md", "b.md"]
    for _ in range(3):
        with pytest.raises(WorkerKilledError):
            take_in(shelf, run, names)

    ready = Document.objects.filter(status=DocumentStatus.READY)
    assert sorted(ready.values_list("external_id", flat=True)) == ["a.md", "b.md"]


def test_store_documents__another_version_is_tried_anew(shelf, run, deadly):
    for _ in range(3):
        with pytest.raises(WorkerKilledError):
            take_in(shelf, run, ["deadly.md"])
    assert take_in(shelf, run, ["deadly.md"]) == [("deadly.md", "failed")]

    mended = ParsedDocument(external_id="deadly.md", text="Mended")
    (outcome,) = store_documents(parsed=[mended], **shelf.tools)

    assert (outcome.outcome, outcome.status) == ("updated", DocumentStatus.READY)
    assert Document.objects.get().attempts == 0


def test_store_document__one_that_kills_is_refused_in_the_end(shelf, deadly):
    for _ in range(3):
        with pytest.raises(WorkerKilledError):
            shelf.store("deadly.md", "deadly")

    with pytest.raises(WorkerDiedError):
        shelf.store("deadly.md", "deadly")

    assert Document.objects.get().status == DocumentStatus.FAILED


def test_store_documents__counts_in_a_resumed_run_are_those_of_the_whole_run(shelf, run):
    shelf.store("same.md", "The text of same.md")
    shelf.store("new version.md", "before")
    run.created_at = timezone.now()
    names = ["same.md", "new version.md", "new.md"]
    take_in(shelf, run, names)

    assert take_in(shelf, run, names, is_resumed=True) == [
        ("same.md", "unchanged"),
        ("new version.md", "updated"),
        ("new.md", "added"),
    ]


def test_running__a_model_that_is_away_sets_the_run_back(shelf, run):
    shelf.embedder.is_broken = True
    with running(run) as recorder:
        documents = [ParsedDocument(external_id="a.md", text="Blue lantern")]
        for outcome in store_documents(parsed=documents, run=recorder.context, **shelf.tools):
            pytest.fail(f"not expected: {outcome}")

    run.refresh_from_db()
    assert (run.status, run.status_reason) == (RunStatus.WAITING, "the server answers 500")
    assert run.due_at > timezone.now()
    assert not Document.objects.exists()


def test_running__a_text_the_model_refuses_is_no_reason_to_wait(shelf, run):
    shelf.embedder.refused_word = "lantern"
    with running(run) as recorder:
        documents = [
            ParsedDocument(external_id="a.md", text="lantern"),
            ParsedDocument(external_id="b.md", text="harbour"),
        ]
        for outcome in store_documents(parsed=documents, run=recorder.context, **shelf.tools):
            recorder.record(outcome)

    run.refresh_from_db()
    assert (run.status, run.added, run.failed) == (RunStatus.DONE, 1, 1)


def test_running__a_model_that_stays_away_ends_the_run(shelf, run):
    IngestionRun.objects.filter(pk=run.pk).update(setbacks=7)

    with pytest.raises(EmbeddingError), running(run):
        raise EmbeddingError

    run.refresh_from_db()
    assert (run.status, run.status_reason) == (
        RunStatus.FAILED,
        "The embedding model does not answer.",
    )


def test_running__cancelled_within_one_document(shelf, run):
    documents = [ParsedDocument(external_id=f"{n}.md", text=f"lantern {n}") for n in range(9)]
    with running(run) as recorder:
        for number, outcome in enumerate(
            store_documents(parsed=documents, run=recorder.context, **shelf.tools)
        ):
            if number == 1:
                cancel_run(run=run, now=timezone.now())
                recorder._is_cancelled.set()
            recorder.record(outcome)

    run.refresh_from_db()
    assert (run.status, run.seen) == (RunStatus.CANCELLED, 2)
    assert sorted(Document.objects.values_list("external_id", "status")) == [
        ("0.md", "ready"),
        ("1.md", "ready"),
    ]


def test_reindex_in_batches__what_a_worker_died_of_is_given_up(shelf, run, deadly, monkeypatch):
    monkeypatch.undo()
    for name in ["a.md", "deadly.md"]:
        shelf.store(name, f"The text of {name}")
    ids = list(Document.objects.order_by("pk").values_list("pk", flat=True))
    deadly_document = Document.objects.get(external_id="deadly.md")
    for _ in range(3):
        with Attendance() as attendance:
            claim_documents([deadly_document.pk], attendance=attendance, run=RunContext.of(run))
    tools = {key: value for key, value in shelf.tools.items() if key != "source"}

    outcomes = list(reindex_in_batches(ids, run=RunContext.of(run), **tools))

    assert [(each.external_id, each.outcome) for each in outcomes] == [
        ("a.md", "unchanged"),
        ("deadly.md", "failed"),
    ]
    deadly_document.refresh_from_db()
    assert "three times; the old version is still shown" in deadly_document.status_reason


@pytest.mark.django_db(transaction=True)
def test_beating__renews_leases_and_hears_of_a_cancellation(settings):
    from tests.factories.knowledge import DocumentFactory  # noqa: PLC0415 # beside its only use

    settings.CRMIND_KNOWLEDGE = {"EMBEDDING_PROVIDER": "hashing", "LEASE_SECONDS": 0.1}
    document = DocumentFactory()
    run = start_run(run=create_run(source=document.source, trigger=RunTrigger.ADMIN))
    with Attendance() as attendance:
        claim_documents([document.pk], attendance=attendance, run=RunContext.of(run))
    document.refresh_from_db()
    first = document.lease_until
    cancel_run(run=run, now=timezone.now())

    with beating(run.pk) as is_cancelled:
        assert is_cancelled.wait(timeout=20)

    document.refresh_from_db()
    assert document.lease_until > first
    assert not [each for each in threading.enumerate() if each.name.startswith("heartbeat")]
    IngestionRun.objects.all().delete()
    renew_leases(run.pk)
    assert RunRecorder(run, is_cancelled).context.run_id == run.pk
