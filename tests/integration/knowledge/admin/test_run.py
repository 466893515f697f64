"""Runs in the admin: progress that refreshes itself while there is any."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from crmind.roles import VIEWER
from knowledge.admin import run_page
from knowledge.models import Document, DocumentBody, IngestionLogEntry, IngestionRun
from tests.factories.knowledge import DocumentFactory, SourceFactory
from tests.factories.staff import StaffFactory

ENDINGS = ("cancel", "retry", "again", "take-out")


@pytest.fixture
def viewing(db):
    client = Client()
    client.force_login(StaffFactory(role=VIEWER))
    return client


def page_of(run):
    return f"/admin/knowledge/ingestionrun/{run.pk}/change/"


def running(**values):
    now = timezone.now()
    return IngestionRun.objects.create(
        source=SourceFactory(),
        trigger="admin",
        status="running",
        expected=60,
        seen=15,
        added=4,
        failed=1,
        started_at=now - timedelta(seconds=30),
        heartbeat_at=now,
        **values,
    )


def test_page__running(curator):
    run = running()
    IngestionLogEntry.objects.create(
        run=run, level="error", external_id="a.pdf", message="<b>locked</b>"
    )

    page = curator.get(page_of(run)).content.decode()

    assert 'hx-trigger="every 2s [!document.hidden]"' in page
    assert "15 of 60 documents looked at" in page
    # 30 s for 15 documents leaves 90 s for 45, and some more on a slow machine
    assert re.search(r"about (9\d|1[01]\d) s to go", page)
    assert 'style="width: 25%"' in page
    assert "a.pdf" in page
    assert "&lt;b&gt;locked&lt;/b&gt;" in page


def test_page__done(curator):
    run = IngestionRun.objects.create(trigger="command", status="done", expected=3, seen=3)

    page = curator.get(page_of(run)).content.decode()

    assert "every 2s" not in page
    assert "Nothing to report" in page


def test_page__a_run_that_ended_meanwhile_is_shown_whole(curator):
    polling = {"HX-Request": "true"}
    live, over = running(), IngestionRun.objects.create(trigger="admin", status="done")

    assert "HX-Refresh" not in curator.get(page_of(live), headers=polling)
    assert curator.get(page_of(over), headers=polling)["HX-Refresh"] == "true"
    assert "HX-Refresh" not in curator.get(page_of(over))


def test_page__the_log_has_pages_and_leads_to_the_documents(curator, monkeypatch):
    monkeypatch.setattr(run_page, "SHOWN_LOG_ENTRIES", 2)
    run = running()
    document = DocumentFactory(source=run.source, external_id="2.pdf")
    entries = [
        IngestionLogEntry(run=run, level="error", external_id=f"{number}.pdf", message="locked")
        for number in range(5)
    ]
    IngestionLogEntry.objects.bulk_create(entries)

    pages, before = [], ""
    while before is not None:
        shown = curator.get(page_of(run), {"before": before}).context["run"]
        pages.append([line["external_id"] for line in shown["log"]])
        before = shown["older_log"]
        linked = [line["document"] for line in shown["log"] if line["document"]]
        assert linked == ([document.pk] if "2.pdf" in pages[-1] else [])

    assert pages == [["4.pdf", "3.pdf"], ["2.pdf", "1.pdf"], ["0.pdf"]]
    for nonsense in ("x", "-1", "9" * 30, "\0"):
        shown = curator.get(page_of(run), {"before": nonsense})
        assert [line["external_id"] for line in shown.context["run"]["log"]] == pages[0]


def test_page__a_worker_that_went_silent(curator):
    run = running()
    run.heartbeat_at = timezone.now() - timedelta(minutes=5)
    run.save()

    assert "Nothing has been heard of this run" in curator.get(page_of(run)).content.decode()


def test_page__the_log_is_kept_from_those_who_may_not_read_every_document(viewer):
    run = running()
    IngestionLogEntry.objects.create(
        run=run, level="error", external_id="salaries.pdf", message="locked"
    )

    page = viewer.get(page_of(run)).content.decode()

    assert "salaries.pdf" not in page
    assert "Your role may not read every document" in page


def test_page__is_read_only(curator):
    run = running()

    assert curator.post(page_of(run), {"seen": "60"}).status_code == 403


@pytest.mark.parametrize(
    ("values", "offered"),
    [
        ({"status": "running"}, ["cancel"]),
        ({"status": "waiting"}, ["cancel"]),
        ({"status": "done", "failed": 2}, ["retry"]),
        ({"status": "done"}, []),
        ({"status": "failed", "status_reason": "No.", "kind": "refresh"}, ["again"]),
        ({"status": "cancelled", "failed": 1, "kind": "upload"}, ["retry", "again"]),
        ({"status": "cancelled"}, []),
        ({"status": "unconfirmed", "to_remove": 3}, ["take-out"]),
    ],
)
def test_actions__only_those_the_state_allows(curator, viewing, values, offered):
    run = IngestionRun.objects.create(source=SourceFactory(), trigger="admin", **values)

    page = curator.get(page_of(run)).content.decode()
    assert [name for name in ENDINGS if f"/{name}/" in page] == offered
    assert "/cancel/" not in viewing.get(page_of(run)).content.decode()


def test_cancel__asks_the_run_to_stop(curator, viewing):
    run = running()
    url = reverse("admin:knowledge_ingestionrun_cancel_this", args=[run.pk])

    curator.get(url)
    assert viewing.post(url, {"_form_submitted": "True"}).status_code == 403
    assert not IngestionRun.objects.get().is_cancel_requested
    page = curator.post(url, {"_form_submitted": "True"}, follow=True).content.decode()

    assert IngestionRun.objects.get().is_cancel_requested
    assert "it ends after the documents it is at" in page


def test_cancel__of_what_waits_and_of_what_is_over(curator):
    waiting = IngestionRun.objects.create(trigger="admin")
    over = IngestionRun.objects.create(trigger="admin", status="done")
    told = {}
    for run in (waiting, over):
        url = reverse("admin:knowledge_ingestionrun_cancel_this", args=[run.pk])
        page = curator.post(url, {"_form_submitted": "True"}, follow=True).content.decode()
        run.refresh_from_db()
        told[run.status] = ("Cancelled before it began" in page, "has ended already" in page)

    assert told == {"cancelled": (True, False), "done": (False, True)}


def test_run_again__goes_to_the_new_run(curator, viewing):
    run = IngestionRun.objects.create(
        source=SourceFactory(connector="upload"), trigger="admin", status="cancelled", kind="upload"
    )
    url = reverse("admin:knowledge_ingestionrun_run_again", args=[run.pk])
    assert viewing.post(url, {"_form_submitted": "True"}).status_code == 403

    response = curator.post(url, {"_form_submitted": "True"})

    again = IngestionRun.objects.get(retry_of=run)
    assert response.url == page_of(again)
    assert f">run {again.pk}</a>" in curator.get(page_of(run)).content.decode()


@pytest.mark.parametrize("action", ["cancel_this", "retry_this", "run_again", "take_out_this"])
def test_actions__on_a_run_that_is_not_there(curator, action):
    url = reverse(f"admin:knowledge_ingestionrun_{action}", args=[99_999])

    response = curator.post(url, {"_form_submitted": "True"})

    assert response.status_code in {302, 404}


def test_retry__takes_up_what_failed_and_nothing_else(curator):
    document = DocumentFactory(status="failed", status_reason="locked")
    DocumentBody.objects.create(document=document, text="grail")
    run = IngestionRun.objects.create(
        source=document.source, trigger="admin", status="done", failed=1, kind="reindex_source"
    )
    Document.objects.update(last_run=run)
    IngestionLogEntry.objects.create(
        run=run, level="error", external_id=document.external_id, message="locked"
    )
    url = reverse("admin:knowledge_ingestionrun_retry_this", args=[run.pk])

    page = curator.post(url, {"_form_submitted": "True"}, follow=True).content.decode()

    again = IngestionRun.objects.get(retry_of=run)
    assert again.arguments == {"document_ids": [document.pk]}
    assert f">run {run.pk}</a>" in page


def test_retry__nothing_failed_is_told(curator):
    run = IngestionRun.objects.create(trigger="admin", status="done", failed=1)
    url = reverse("admin:knowledge_ingestionrun_retry_this", args=[run.pk])

    page = curator.post(url, {"_form_submitted": "True"}, follow=True).content.decode()

    assert "there is nothing to try again" in page
