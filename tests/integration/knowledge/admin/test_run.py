"""Runs in the admin: progress that refreshes itself while there is any."""

import re
from datetime import timedelta

from django.utils import timezone

from knowledge.models import IngestionLogEntry, IngestionRun
from tests.factories.knowledge import SourceFactory


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

    assert 'hx-trigger="every 2s"' in page
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
