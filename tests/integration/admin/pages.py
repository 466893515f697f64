"""The pages of the admin and a row for each."""

from django.contrib import admin
from django.contrib.auth.models import Permission
from django.urls import reverse
from django.utils import timezone

from crmind.roles import seed_roles
from knowledge.models import (
    ApiKey,
    ChunkEmbedding,
    DocumentBody,
    IngestionLogEntry,
    IngestionRun,
)
from tests.factories.cachemgr import CachedCitationFactory, EmbeddingSpaceFactory
from tests.factories.knowledge import ChunkFactory, DocumentFactory, EntityFactory
from tests.factories.retrieval import (
    EvaluationRunFactory,
    GapQuestionFactory,
    IntentFactory,
    JudgementFactory,
    SynonymFactory,
)

SEEN_BY_VIEWERS = frozenset(
    {
        "knowledge.source",
        "knowledge.sourcetype",
        "knowledge.entity",
        "knowledge.document",
        "knowledge.chunk",
        "knowledge.embeddingspace",
        "knowledge.ingestionrun",
        "retrieval.rankingprofile",
        "retrieval.synonym",
        "retrieval.intent",
        "retrieval.goldenquestion",
        "retrieval.judgement",
        "retrieval.evaluationrun",
        "cachemgr.cachedresponse",
    }
)
SEEN_BY_CURATORS = SEEN_BY_VIEWERS | {"retrieval.searchlog", "retrieval.knowledgegap"}
SEEN_BY_ADMINISTRATORS = SEEN_BY_CURATORS | {"knowledge.apikey", "auth.user", "auth.group"}

ADDED_BY_CURATORS = frozenset(
    {
        "knowledge.source",
        "knowledge.sourcetype",
        "knowledge.entity",
        "retrieval.rankingprofile",
        "retrieval.synonym",
        "retrieval.intent",
        "retrieval.goldenquestion",
        "retrieval.judgement",
    }
)
ADDED_BY_ADMINISTRATORS = ADDED_BY_CURATORS | {"knowledge.apikey", "auth.user"}


def models():
    """Return the model of every page."""
    return sorted(admin.site._registry, key=lambda model: model._meta.label_lower)


def list_url(model):
    """Return the address of a list."""
    return reverse(f"admin:{model._meta.label_lower.replace('.', '_')}_changelist")


def add_url(model):
    """Return the address of an empty form."""
    return reverse(f"admin:{model._meta.label_lower.replace('.', '_')}_add")


def change_url(row):
    """Return the address of the page of a row."""
    return reverse(f"admin:{row._meta.label_lower.replace('.', '_')}_change", args=[row.pk])


def populate(count):
    """Make `count` rows of every model that curators meet."""
    seed_roles()
    space = EmbeddingSpaceFactory()
    for number in range(count):
        chunk = ChunkFactory(document=DocumentFactory(title=f"Grail {number}"))
        ChunkEmbedding.objects.create(chunk=chunk, space=space, vector=[1.0, 0.0, 0.0])
        DocumentBody.objects.create(document=chunk.document, text="The grail is in the castle.")
        entity = EntityFactory(parent=EntityFactory())
        chunk.document.entities.add(entity)
        run = IngestionRun.objects.create(source=chunk.source, trigger="admin")
        IngestionLogEntry.objects.create(run=run, level="error", message="locked")
        CachedCitationFactory(chunk=chunk)
        JudgementFactory(document=chunk.document)
        EvaluationRunFactory()
        GapQuestionFactory(search__created_at=timezone.now())
        SynonymFactory()
        IntentFactory().preferred_types.add(chunk.source_type)
        ApiKey.objects.create_key(name=f"client {number}")


def queue_permissions():
    """Return every permission on the tables of the queue."""
    return Permission.objects.filter(content_type__app_label="django_q")
