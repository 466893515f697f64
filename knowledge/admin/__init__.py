"""Admin pages of the knowledge app."""

from knowledge.admin.api_key import ApiKeyAdmin
from knowledge.admin.chunk import ChunkAdmin
from knowledge.admin.document import DocumentAdmin
from knowledge.admin.embedding_space import EmbeddingSpaceAdmin
from knowledge.admin.entity import EntityAdmin
from knowledge.admin.run import IngestionRunAdmin
from knowledge.admin.source import SourceAdmin
from knowledge.admin.source_type import SourceTypeAdmin

__all__ = [
    "ApiKeyAdmin",
    "ChunkAdmin",
    "DocumentAdmin",
    "EmbeddingSpaceAdmin",
    "EntityAdmin",
    "IngestionRunAdmin",
    "SourceAdmin",
    "SourceTypeAdmin",
]
