"""Adding documents by hand: files and pasted text, and what is refused at which field."""

import os
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from knowledge.embedding.registry import get_tokenizer
from knowledge.models import (
    Connector,
    Document,
    DocumentStatus,
    IngestionRun,
    RunStatus,
    Source,
)
from knowledge.services import recording
from knowledge.services.ingest import Tools
from knowledge.services.uploads import MAX_FILES, folder_of, purge_uploads, take_in_upload
from knowledge.tasks import rerun, retry_run, work_on_run
from tests.factories.knowledge import EntityFactory, SourceFactory
from tests.integration.knowledge.conftest import CountingEmbedder


@pytest.fixture(autouse=True)
def media(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    return tmp_path


@pytest.fixture
def source(seeded):
    return SourceFactory(name="By hand", connector=Connector.UPLOAD)


def page():
    return reverse("admin:knowledge_document_add_documents")


def send(client, source, *files, **values):
    return client.post(page(), {"source": source.pk, "files": list(files), **values})


def text_file(name, text="The grail is in the castle."):
    return SimpleUploadedFile(name, text.encode())


def errors(response):
    assert response.status_code == 200
    return response.context["form"].errors


def test_upload__files_and_a_text_become_documents(curator, source, media):
    entity, _ = EntityFactory.create_batch(2, name="Camelot")
    response = send(
        curator,
        source,
        text_file("castle.txt"),
        text_file("price.md", "# Price\n\n12 shrubberies."),
        title="Rabbit: a warning",
        text="---\nIt has big, pointy teeth.",
        published="2031-07-19",
        valid_until="2031-12-31",
        entities=[entity.pk],
        access_tags="sales, everyone",
    )
    run = IngestionRun.objects.get()
    assert response.url == reverse("admin:knowledge_ingestionrun_change", args=[run.pk])
    assert (run.status, run.expected) == (RunStatus.WAITING, 3)

    work_on_run(run.pk)

    run.refresh_from_db()
    assert (run.status, run.added, run.failed) == (RunStatus.DONE, 3, 0)
    rabbit = Document.objects.get(title="Rabbit: a warning")
    for document in Document.objects.all():
        assert document.published_at == datetime(2031, 7, 19, tzinfo=UTC)
        assert document.valid_until == datetime(2031, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
        assert list(document.entities.all()) == [entity]
    assert rabbit.body.text == "---\nIt has big, pointy teeth."
    assert rabbit.access_tags == ["everyone", "sales"]
    assert sorted(Document.objects.values_list("external_id", flat=True)) == [
        "castle.txt",
        "price.md",
        "rabbit-a-warning.md",
    ]
    assert list(media.rglob("*.txt")) == []


def test_upload__only_what_failed_is_kept_and_tried_again(curator, source):
    send(curator, source, text_file("castle.txt"), SimpleUploadedFile("a.pdf", b"%PDF-1.7 cut"))
    run = IngestionRun.objects.get()
    work_on_run(run.pk)

    run.refresh_from_db()
    assert (run.added, run.failed) == (1, 1)
    assert Document.objects.get(external_id="a.pdf").status == DocumentStatus.NEEDS_ATTENTION
    assert [path.name for path in folder_of(run).glob("[!.]*")] == ["a.pdf"]

    (folder_of(run) / "a.pdf").write_bytes(b"Mended, and plain text after all")
    (folder_of(run) / "a.pdf").rename(folder_of(run) / "a.txt")
    (again,) = retry_run(run.pk)
    work_on_run(again)

    run = IngestionRun.objects.get(pk=again)
    assert (run.retry_of_id, run.status, run.seen, run.added) == (run.retry_of.pk, "done", 1, 1)


def test_upload__what_was_cancelled_goes_on_where_it_stopped(curator, source, monkeypatch):
    monkeypatch.setattr(recording, "FLUSH_SECONDS", 0.0)
    send(curator, source, text_file("castle.txt"), text_file("price.txt"))
    run = IngestionRun.objects.get()
    recorded = recording.RunRecorder.record

    def cancelled(recorder, outcome, **values):
        IngestionRun.objects.filter(pk=run.pk).update(is_cancel_requested=True)
        recorded(recorder, outcome, **values)

    with monkeypatch.context() as patch:
        patch.setattr(recording.RunRecorder, "record", cancelled)
        work_on_run(run.pk)
    run.refresh_from_db()
    assert (run.status, run.seen) == (RunStatus.CANCELLED, 1)

    again = rerun(run.pk)
    work_on_run(again)

    again = IngestionRun.objects.get(pk=again)
    assert (again.status, again.seen, again.failed) == (RunStatus.DONE, 2, 0)
    assert set(Document.objects.values_list("status", flat=True)) == {"ready"}
    assert not folder_of(run).exists()


def test_upload__is_tried_again_once_the_model_answers(curator, source):
    send(curator, source, text_file("castle.txt"))
    run = IngestionRun.objects.get()
    broken = CountingEmbedder()
    broken.is_broken = True
    tools = Tools(embedder=broken, tokenizer=get_tokenizer(), now=timezone.now())

    take_in_upload(run=run, tools=tools, on_progress=lambda _: None)
    run.refresh_from_db()
    assert run.status == RunStatus.WAITING

    work_on_run(run.pk)
    run.refresh_from_db()
    assert (run.status, run.added) == (RunStatus.DONE, 1)


def test_upload__files_that_are_gone_fail_the_run_with_the_remedy(curator, source):
    send(curator, source, text_file("castle.txt"))
    run = IngestionRun.objects.get()
    shutil.rmtree(folder_of(run))

    work_on_run(run.pk)

    run.refresh_from_db()
    assert run.status == RunStatus.FAILED
    assert run.status_reason.endswith("Upload them again.")


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ([], "Choose at least one file, or paste a text below."),
        ([SimpleUploadedFile("a.txt", b"\x89PNG\r\n\x1a\n....")], "is a picture"),
        ([text_file("a.exe")], "is a program"),
        ([text_file("a.7z")], "is an archive"),
        ([SimpleUploadedFile("a.txt", b"")], "is empty"),
        ([text_file(f"{'ä' * 120}.txt")], "has too long a name"),
        ([text_file("a.txt"), text_file(".a.txt")], "Two files are called “a.txt”"),
        ([text_file(f"{n}.txt") for n in range(MAX_FILES + 1)], f"at most {MAX_FILES}"),
    ],
)
def test_upload__files_are_refused_at_their_field(curator, source, files, reason):
    for file in files:
        file.seek(0)

    refused = errors(send(curator, source, *files))

    assert list(refused) == ["files"]
    assert reason in refused["files"][0]
    assert not IngestionRun.objects.exists()


def test_upload__too_large(curator, source, settings):
    settings.CRMIND_KNOWLEDGE = {"EMBEDDING_PROVIDER": "hashing", "MAX_FILE_BYTES": 1024**2}

    refused = errors(send(curator, source, text_file("a.txt", "x" * (1024**2 + 1))))

    assert refused["files"] == ["“a.txt” is larger than 1 MB. Split it, or take out its pictures."]


def test_upload__text_needs_a_title_and_tags_are_checked(curator, source):
    refused = errors(send(curator, source, text="Ni!", access_tags="Sales Team"))

    assert refused["title"] == ["Give the text a title: it is listed and cited by it."]
    assert refused["access_tags"][0].startswith("“Sales Team”: An access tag is made of")


def test_upload__not_into_sources_that_are_filled_from_elsewhere(curator, source):
    folder = SourceFactory(connector=Connector.FOLDER)

    assert "source" in errors(send(curator, folder, text_file("castle.txt")))


def test_upload__what_a_file_says_itself_stands(curator, source):
    said = text_file("price.md", "---\npublished_at: 2030-01-01\n---\n12 shrubberies.")
    send(curator, source, said, published="2031-07-19")

    work_on_run(IngestionRun.objects.get().pk)

    assert Document.objects.get().published_at == datetime(2030, 1, 1, tzinfo=UTC)


def test_upload__the_first_source_is_made_right_there(curator, seeded):
    shown = curator.get(page()).content.decode()
    assert "There is no source to add them to yet." in shown
    SourceFactory(name="Chronicle")

    taken = curator.post(page(), {"name": "chronicle", "source_type": "blog_post"})
    assert "name" in errors(taken)
    made = curator.post(page(), {"name": "Added by hand", "source_type": "blog_post"})

    assert made.url == page()
    source = Source.objects.get(connector=Connector.UPLOAD)
    assert (source.name, source.source_type.slug) == ("Added by hand", "blog_post")
    assert source in curator.get(page()).context["form"].fields["source"].queryset


@pytest.mark.parametrize("values", [{"entities": ["x"]}, {"source": "9" * 20}, {"source": "\0"}])
def test_upload__choices_that_cannot_be_are_told_at_the_field(curator, source, values):
    refused = errors(curator.post(page(), {"source": source.pk, "text": "Ni!", **values}))

    assert set(values) <= set(refused)


def test_upload__viewers_may_not(viewer, source):
    assert viewer.get(page()).status_code == 403
    assert send(viewer, source, text_file("castle.txt")).status_code == 403
    assert b"Add documents" not in viewer.get("/admin/knowledge/document/").content


def test_purge_uploads__only_old_ones(curator, source):
    for name in ("old.txt", "new.txt"):
        send(curator, source, text_file(name))
    old, new = IngestionRun.objects.order_by("pk")
    long_ago = (timezone.now() - timedelta(days=31)).timestamp()
    os.utime(folder_of(old), (long_ago, long_ago))

    assert purge_uploads(now=timezone.now()) == 1
    assert [Path(folder_of(run)).exists() for run in (old, new)] == [False, True]
