"""What a viewer may not read is told nowhere: not by title, choice, search, change or count."""

import json

import pytest
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType

from crmind.roles import VIEWER
from knowledge.history import acting_as
from knowledge.models import Chunk, Document, DocumentBody, IngestionLogEntry, IngestionRun
from knowledge.services import retire_document, set_document_trust, switch_chunk
from retrieval.models import GoldenQuestion
from tests.factories.cachemgr import CachedCitationFactory
from tests.factories.knowledge import ChunkFactory, DocumentFactory
from tests.factories.retrieval import JudgementFactory
from tests.factories.staff import StaffFactory
from tests.integration.admin.addresses import every_address, fill

pytestmark = pytest.mark.django_db

CANARY = "Xanthippe"
BOARD = ["board"]


def hide(**values):
    """Make a document that only the board may read, with all that hangs on one."""
    number = Document.objects.count()
    document = DocumentFactory(
        title=f"{CANARY} {number}",
        external_id=f"{CANARY}-{number}.txt",
        access_tags=BOARD,
        **values,
    )
    DocumentBody.objects.create(document=document, text=CANARY)
    chunk = ChunkFactory(document=document, text=CANARY, access_tags=BOARD)
    answer = CachedCitationFactory(chunk=chunk).response
    answer.question = answer.answer = CANARY
    answer.scope = {**answer.scope, "access_tags": BOARD}
    answer.save()
    with acting_as(StaffFactory(role="superuser")):
        set_document_trust(document=document, trust=0.1)
        switch_chunk(chunk=chunk, off=True)
        retire_document(document=document)
    return document


def hide_among_what_all_read():
    """Link hidden documents to one that everybody may read, in every way there is."""
    document = Document.objects.order_by("pk").first()
    question = GoldenQuestion.objects.order_by("pk").first()
    run = IngestionRun.objects.order_by("pk").first()
    hidden = hide(source=document.source)
    hide(source=document.source, parent=document)
    hide(source=document.source, supersedes=document)
    with acting_as(StaffFactory(role="superuser")):
        document.supersedes = hidden
        document.save()
        JudgementFactory(question=question, document=hidden)
    Document.objects.filter(pk=document.pk).update(parent=hidden, duplicate_of=hidden)
    IngestionLogEntry.objects.create(run=run, level="error", external_id=CANARY, message=CANARY)
    Document.objects.filter(pk=hidden.pk).update(last_run=run, lease_until="2999-01-01T00:00Z")
    IngestionRun.objects.filter(pk=run.pk).update(status="running")
    LogEntry.objects.create(
        user=StaffFactory(),
        content_type=ContentType.objects.get_for_model(Document),
        object_id=str(hidden.pk),
        object_repr=CANARY,
        action_flag=CHANGE,
        change_message=json.dumps(CANARY),
    )
    return hidden


def asked_for(hidden):
    """Yield addresses that ask for what is hidden, in other letters than it is written in."""
    chunk = Chunk.objects.filter(document=hidden).first()
    word = CANARY.lower()
    for name in ("knowledge/chunk", "knowledge/document", "retrieval/judgement"):
        yield f"/admin/{name}/?q={word}"
    yield f"/admin/cachemgr/cachedresponse/?q={word}"
    yield f"/admin/cachemgr/cachedresponse/?document={hidden.pk}"
    yield f"/admin/knowledge/chunk/?document__id__exact={hidden.pk}"
    yield f"/admin/changes/?q={word}"
    yield f"/admin/search/?s={word}"
    yield f"/admin/preview/?question=grail&why_not={hidden.pk}&access_tags=board"
    yield f"/admin/preview/?question={word}&access_tags=board"
    for row, kind in ((hidden, "document"), (chunk, "chunk")):
        for page in ("change/", "history/"):
            yield f"/admin/knowledge/{kind}/{row.pk}/{page}"
        for record in row.history.all():
            yield f"/admin/changes/knowledge/{kind}/{record.history_id}/"
    for names in ("document&field_name=supersedes", "chunkembedding&field_name=chunk"):
        yield f"/admin/autocomplete/?app_label=knowledge&model_name={names}&term={word[:5]}"


def test_viewers__are_told_nothing_of_what_they_may_not_read(client):
    fill(1)
    hidden = hide_among_what_all_read()
    client.force_login(StaffFactory(role=VIEWER))
    urls = [*(each.url for each in every_address()), *asked_for(hidden)]

    telling = {}
    for url in urls:
        answer = client.get(url).content.decode("utf-8", "replace")
        if CANARY in answer:
            telling[url] = answer[max(0, answer.index(CANARY) - 200) :][:400]
    assert telling == {}
