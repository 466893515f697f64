"""Models of the knowledge app."""

from knowledge.models.access import EVERYONE, ApiKey
from knowledge.models.chunk import Chunk
from knowledge.models.document import Document, DocumentBody, DocumentStatus
from knowledge.models.embedding import ChunkEmbedding, EmbeddingSpace, SpaceStatus
from knowledge.models.entity import Entity, EntityKind
from knowledge.models.page_version import PageVersion
from knowledge.models.run import (
    IngestionLogEntry,
    IngestionRun,
    RunKind,
    RunStatus,
    RunTrigger,
)
from knowledge.models.sketch import DocumentSketch
from knowledge.models.source import Connector, Source, SourceHealth, SourceType
from knowledge.models.term import CorpusStatistic, TermStatistic
from knowledge.models.web import ListingVersion, WebHost
from knowledge.models.webhook import Webhook, WebhookDelivery

__all__ = [
    "EVERYONE",
    "ApiKey",
    "Chunk",
    "ChunkEmbedding",
    "Connector",
    "CorpusStatistic",
    "Document",
    "DocumentBody",
    "DocumentSketch",
    "DocumentStatus",
    "EmbeddingSpace",
    "Entity",
    "EntityKind",
    "IngestionLogEntry",
    "IngestionRun",
    "ListingVersion",
    "PageVersion",
    "RunKind",
    "RunStatus",
    "RunTrigger",
    "Source",
    "SourceHealth",
    "SourceType",
    "SpaceStatus",
    "TermStatistic",
    "WebHost",
    "Webhook",
    "WebhookDelivery",
]
