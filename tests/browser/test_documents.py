"""Documents as a curator works on them: added by hand, judged, cut, tried again."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from knowledge.models import Connector, Document, IngestionRun
from knowledge.services import create_source
from knowledge.tasks import work_on_run


@pytest.fixture(autouse=True)
def media(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path


def test_upload__files_and_a_text_with_progress_to_the_end(curator, stock, tmp_path):
    create_source(name="By hand", type_slug="blog_post", connector=Connector.UPLOAD)
    for name, content in (("moat.txt", "The moat is deep."), ("seal.png", "\x89PNG\r\n\x1a\n")):
        (tmp_path / name).write_bytes(content.encode("latin-1"))
    curator.open(reverse("admin:knowledge_document_changelist"))
    curator.follow("Add documents")

    curator.press("Add", exact=False)
    curator.sees("Choose at least one file, or paste a text below.")
    choice = curator.page.locator("input[type=file]")
    choice.set_input_files([tmp_path / "moat.txt", tmp_path / "seal.png"])
    curator.press("Add", exact=False)
    curator.sees("“seal.png” is a picture, which holds no text to search.")
    curator.look("upload-refused")
    expect(curator.page.get_by_label("Title").first).to_have_value("")
    choice.set_input_files([tmp_path / "moat.txt"])
    curator.fill("Title", "Drawbridge")
    curator.fill("Or paste a text", "The drawbridge is up.")
    curator.look("upload")
    curator.press("Add", exact=False)

    curator.sees("Waiting for the queue worker.")
    work_on_run(IngestionRun.objects.get().pk)
    curator.sees("2 of 2 documents looked at")
    curator.look("run-done")
    assert sorted(
        Document.objects.filter(source__name="By hand").values_list("title", flat=True)
    ) == [
        "",
        "Drawbridge",
    ]


def test_document__is_replaced_by_another_and_never_in_a_circle(curator, stock):
    curator.open(reverse("admin:knowledge_document_change", args=[stock.rabbit.pk]))
    choose(curator, "Replaced by", "castle")
    curator.press("Save and continue editing")
    curator.sees("Replaced by")
    stock.castle.refresh_from_db()
    assert stock.castle.supersedes == stock.rabbit

    choose(curator, "Replaces", "castle")
    curator.press("Save and continue editing")
    curator.sees("cannot both replace another and be replaced by it")
    curator.look("document-circle")


def test_documents__entities_and_readers_of_several(curator, stock):
    curator.open(reverse("admin:knowledge_document_changelist"))
    curator.look("documents")
    for box in curator.page.locator("input.action-select").all():
        box.check()
    curator.page.locator("select[name=action]").first.select_option("edit")
    curator.press("Run", exact=False)
    curator.fill("May be read by", "sales")
    curator.look("documents-bulk")
    curator.press("Save")

    curator.sees("Edited: 3 documents.")
    assert {tag for each in Document.objects.all() for tag in each.access_tags} == {"sales"}


def test_passage__is_switched_off_and_on(curator, stock):
    curator.open(reverse("admin:knowledge_document_change", args=[stock.rabbit.pk]))
    curator.page.get_by_label("Passage 1").click()
    curator.page.wait_for_load_state("networkidle")
    curator.look("passage")
    curator.follow("Switch off")
    curator.press("Switch off")

    curator.sees("Switched off, passages: 1.")
    assert not stock.rabbit.chunks.get().is_active


def choose(visit, label, words):
    """Choose a row by some words of it, as a person types them."""
    field = (
        visit.page.locator(".field-line, .form-row, .flex")
        .filter(has=visit.page.get_by_label(label, exact=True))
        .last
    )
    field.locator(".select2-selection").click()
    search = visit.page.locator(".select2-search__field").last
    search.fill(words)
    option = visit.page.locator(".select2-results__option").first
    expect(option).to_contain_text(words, ignore_case=True)
    option.click()
