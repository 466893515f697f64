"""Documents and what became of them."""

from typing import Any, ClassVar, Self

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.db import models
from django.db.models import Q
from django.db.models.functions import Upper

from knowledge.history import CuratedRecords
from knowledge.models.entity import Entity
from knowledge.models.fields import (
    access_tags_field,
    has_access_tags,
    unit_interval,
    unit_interval_field,
)
from knowledge.models.run import IngestionRun
from knowledge.models.source import Source, SourceType


class DocumentStatus(models.TextChoices):
    """Where a document stands; whether it is searched is told by its chunks."""

    PENDING = "pending", "Waiting"
    INDEXING = "indexing", "Being indexed"
    READY = "ready", "Ready"
    NEEDS_ATTENTION = "needs_attention", "Needs attention"
    FAILED = "failed", "Failed"
    RETIRED = "retired", "Retired"


def _is_decision(field: str, old: str, new: str) -> bool:
    """Return whether a person decides on a field; of the states only on "retired"."""
    if field == "status":
        return DocumentStatus.RETIRED in {old, new}
    return field != "status_reason"


class DocumentQuerySet(models.QuerySet["Document"]):
    """Selections of documents."""

    def readable_with(self, tags: frozenset[str]) -> Self:
        """Documents that a holder of any of `tags` may read."""
        return self.filter(access_tags__overlap=sorted(tags))

    def failing(self) -> Self:
        """Documents a curator has to look at."""
        return self.filter(status__in=[DocumentStatus.NEEDS_ATTENTION, DocumentStatus.FAILED])

    def missing(self) -> Self:
        """Documents that are searched though a check of their source did not find them."""
        return self.filter(missing_since__isnull=False).exclude(status=DocumentStatus.RETIRED)


class Document(models.Model):
    """One text with an origin, a date and readers."""

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="documents")
    external_id = models.CharField(
        max_length=1000, help_text="Identifier at the source: path, address or row id."
    )
    source_type = models.ForeignKey(
        SourceType,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Only if it differs from the type of its source.",
    )
    parent = models.ForeignKey(
        "self",
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="attachments",
        help_text="The message this document was attached to.",
    )
    title = models.CharField(max_length=1000, blank=True)
    url = models.CharField(max_length=2000, blank=True)
    author = models.CharField(max_length=300, blank=True)
    mime_type = models.CharField(max_length=200, blank=True)
    content_hash = models.CharField(
        max_length=64, blank=True, help_text="SHA-256 of text and metadata."
    )
    trust = unit_interval_field(
        null=True,
        blank=True,
        help_text="0 to 1; it can lower the trust of its source, not raise it.",
    )
    published_at = models.DateTimeField(null=True, blank=True)
    fetched_at = models.DateTimeField()
    valid_from = models.DateTimeField(null=True, blank=True)
    valid_until = models.DateTimeField(null=True, blank=True)
    supersedes = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="superseded_by"
    )
    duplicate_of = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="duplicates"
    )
    language = models.CharField(max_length=63, help_text="Text search configuration.")
    access_tags = access_tags_field()
    has_own_access_tags = models.BooleanField(
        default=False, help_text="Keeps its access tags when those of its source change."
    )
    has_own_validity = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Keeps its end of validity when a new version comes in.",
    )
    has_own_entities = models.BooleanField(
        default=False, db_default=False, help_text="Keeps its entities when a new version comes in."
    )
    entities = models.ManyToManyField(Entity, blank=True, related_name="documents")
    metadata = models.JSONField(default=dict, blank=True)
    warnings = ArrayField(models.TextField(), default=list, blank=True)
    status = models.CharField(
        max_length=16, choices=DocumentStatus.choices, default=DocumentStatus.PENDING
    )
    status_reason = models.TextField(blank=True)
    chunk_count = models.PositiveIntegerField(default=0)
    last_run = models.ForeignKey(
        IngestionRun,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="documents",
        db_index=False,
        help_text="The run that last worked on it.",
    )
    attempts = models.PositiveSmallIntegerField(
        default=0, help_text="How often work on the claimed version began without an end."
    )
    claimed_hash = models.CharField(
        max_length=64,
        blank=True,
        default="",
        db_default="",
        help_text="SHA-256 of the version that is, or was last, worked on.",
    )
    lease_until = models.DateTimeField(
        null=True, blank=True, help_text="Somebody works on it until then, unless renewed."
    )
    indexed_at = models.DateTimeField(null=True, blank=True)
    is_listed = models.BooleanField(
        default=False,
        db_default=False,
        editable=False,
        help_text="Found by a check of its source, which may therefore find it missing.",
    )
    missing_since = models.DateTimeField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects: ClassVar[models.Manager[Any]] = DocumentQuerySet.as_manager()
    history = CuratedRecords(
        without=(
            "external_id",
            "parent",
            "title",
            "url",
            "author",
            "mime_type",
            "content_hash",
            "published_at",
            "fetched_at",
            "language",
            "metadata",
            "warnings",
            "chunk_count",
            "last_run",
            "attempts",
            "claimed_hash",
            "lease_until",
            "indexed_at",
            "is_listed",
            "missing_since",
            "created_at",
            "updated_at",
        ),
        relations=("entities",),
        by_people_only=True,
        is_decision=_is_decision,
    )

    class Meta:
        ordering = ["-updated_at", "-id"]
        permissions = [("read_every_document", "Can read documents of every access tag")]
        constraints = [
            models.UniqueConstraint(
                fields=["source", "external_id"], name="document_external_id_unique"
            ),
            models.CheckConstraint(name="document_identified", condition=~Q(external_id="")),
            unit_interval("document_trust_0_1", field="trust"),
            has_access_tags("document_has_access_tags"),
            models.CheckConstraint(
                name="document_validity_in_order",
                condition=Q(valid_until__gt=models.F("valid_from"))
                | Q(valid_from__isnull=True)
                | Q(valid_until__isnull=True),
            ),
            models.CheckConstraint(
                name="document_trouble_has_a_reason",
                condition=~Q(status__in=["needs_attention", "failed"]) | ~Q(status_reason=""),
            ),
            models.CheckConstraint(
                name="document_not_its_own_successor",
                condition=Q(supersedes__isnull=True) | ~Q(supersedes=models.F("id")),
            ),
        ]
        indexes = [
            models.Index(fields=["status", "-updated_at", "-id"], name="document_by_status"),
            models.Index(fields=["-updated_at", "-id"], name="document_by_update"),
            models.Index(fields=["content_hash"], name="document_by_hash"),
            models.Index(fields=["last_run"], name="document_by_run"),
            models.Index(
                fields=["lease_until"],
                name="document_by_lease",
                condition=Q(lease_until__isnull=False),
            ),
            models.Index(
                fields=["source", "status"],
                include=["chunk_count", "published_at", "fetched_at"],
                name="document_by_source",
            ),
            GinIndex(OpClass(Upper("title"), name="gin_trgm_ops"), name="document_title_trigram"),
        ]

    def __str__(self) -> str:
        return self.title or self.external_id


class DocumentBody(models.Model):
    """The extracted text of a document, kept apart so that lists never read it."""

    document = models.OneToOneField(
        Document, on_delete=models.CASCADE, primary_key=True, related_name="body"
    )
    text = models.TextField()

    class Meta:
        verbose_name_plural = "document bodies"

    def __str__(self) -> str:
        return f"text of document {self.document_id}"
