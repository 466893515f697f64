"""Passages of documents: what is searched."""

from typing import Any, ClassVar, Self

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models

from knowledge.history import CuratedRecords
from knowledge.models.document import Document
from knowledge.models.fields import access_tags_field, has_access_tags
from knowledge.models.source import Source, SourceType


class Repeated(models.Func):
    """The lexemes that occur more than once in a search vector, by a function of the database."""

    function = "crmind_repeated"
    output_field = SearchVectorField()


class ChunkQuerySet(models.QuerySet["Chunk"]):
    """Selections of chunks."""

    def searchable(self) -> Self:
        """Chunks that search may return."""
        return self.filter(is_active=True)


class Chunk(models.Model):
    """A passage, with the columns of its document that search filters by.

    Its id stays the same across reindexing as long as its passage does.
    """

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="chunks")
    position = models.PositiveIntegerField(help_text="Place within the document, from 0.")
    text = models.TextField()
    prefix = models.TextField(blank=True, help_text="Table header repeated from an earlier chunk.")
    heading_path = ArrayField(models.TextField(), default=list, blank=True)
    start = models.PositiveIntegerField(help_text="First character in the document's text.")
    end = models.PositiveIntegerField(help_text="Character after the last one.")
    token_count = models.PositiveIntegerField()
    content_hash = models.CharField(max_length=64, help_text="SHA-256 of the passage as embedded.")
    extra_terms = models.TextField(blank=True, help_text="Parts and joins of identifiers.")
    search_vector = SearchVectorField(editable=False)
    is_switched_off = models.BooleanField(
        default=False, help_text="A curator took this passage out of search."
    )

    is_active = models.BooleanField(default=True, editable=False)
    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="+")
    source_type = models.ForeignKey(SourceType, on_delete=models.PROTECT, related_name="+")
    language = models.CharField(max_length=63)
    access_tags = access_tags_field()
    entity_ids = ArrayField(models.UUIDField(), default=list, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)
    valid_from = models.DateTimeField(null=True, blank=True)
    valid_until = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[models.Manager[Any]] = ChunkQuerySet.as_manager()
    history = CuratedRecords(
        without=(
            "text",
            "prefix",
            "heading_path",
            "start",
            "end",
            "token_count",
            "content_hash",
            "extra_terms",
            "search_vector",
            "is_active",
            "source",
            "source_type",
            "language",
            "access_tags",
            "entity_ids",
            "published_at",
            "valid_from",
            "valid_until",
        ),
        by_people_only=True,
        name_of=lambda chunk: f"Passage {chunk.position + 1} of {chunk.document}",
    )

    class Meta:
        verbose_name = "passage"
        ordering = ["document_id", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["document", "position"],
                name="chunk_position_unique",
                deferrable=models.Deferrable.DEFERRED,
            ),
            models.CheckConstraint(
                name="chunk_span_in_order", condition=models.Q(end__gt=models.F("start"))
            ),
            has_access_tags("chunk_has_access_tags"),
        ]
        indexes = [
            GinIndex(fields=["search_vector"], name="chunk_search_vector", fastupdate=False),
            GinIndex(Repeated("search_vector"), name="chunk_repeated_terms", fastupdate=False),
            GinIndex(fields=["entity_ids"], name="chunk_entities"),
            GinIndex(fields=["access_tags"], name="chunk_access_tags"),
            models.Index(fields=["published_at"], name="chunk_by_date"),
        ]

    def __str__(self) -> str:
        return f"chunk {self.position} of document {self.document_id}"
