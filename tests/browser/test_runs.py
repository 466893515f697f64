"""Runs and cached answers, as a curator steers them."""

from django.urls import reverse
from django.utils import timezone

from cachemgr.models import CachedResponse
from knowledge.models import IngestionLogEntry, IngestionRun
from tests.factories.cachemgr import CachedCitationFactory


def test_run__is_watched_and_cancelled(curator, stock):
    run = IngestionRun.objects.create(
        source=stock.chronicle,
        trigger="admin",
        status="running",
        kind="reindex_source",
        expected=60,
        seen=15,
        failed=1,
        started_at=timezone.now(),
        heartbeat_at=timezone.now(),
    )
    IngestionLogEntry.objects.create(
        run=run, level="error", external_id="scroll.pdf", message="The PDF is locked."
    )
    curator.open(reverse("admin:knowledge_ingestionrun_changelist"))
    curator.look("runs")
    curator.open(reverse("admin:knowledge_ingestionrun_change", args=[run.pk]))
    curator.look("run")

    IngestionRun.objects.filter(pk=run.pk).update(seen=42)
    curator.sees("42 of 60 documents looked at")
    curator.follow("Cancel")
    curator.press("Cancel the run")
    curator.sees("Asked to stop; it ends after the documents it is at: some are read together.")
    IngestionRun.objects.filter(pk=run.pk).update(status="cancelled", finished_at=timezone.now())
    curator.sees("Cancelled")
    assert IngestionRun.objects.get().is_cancel_requested


def test_answers__are_forgotten_by_what_they_cite(curator, stock):
    CachedCitationFactory(chunk=stock.rabbit.chunks.get(), response__question="Who keeps it?")
    kept = CachedCitationFactory(chunk=stock.castle.chunks.get()).response
    curator.open(reverse("admin:cachemgr_cachedresponse_changelist"))
    curator.look("answers")
    curator.follow("Who keeps it?")
    curator.look("answer")

    curator.open(reverse("admin:knowledge_document_change", args=[stock.rabbit.pk]))
    curator.follow("forget them")
    curator.sees("1 answer cites it.")
    curator.look("forget-citing")
    curator.press("Forget them")

    curator.sees("Forgotten: 1.")
    assert list(CachedResponse.objects.live()) == [kept]
