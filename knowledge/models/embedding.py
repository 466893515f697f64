"""Embedding models in use and the vectors they made."""

from django.db import models
from django.db.models import Q
from pgvector.django import VectorField

from knowledge.history import CuratedRecords
from knowledge.models.chunk import Chunk
from knowledge.models.fields import is_not_zero_vector


class SpaceStatus(models.TextChoices):
    """Whether vectors of a space are compared with questions, and whether it is kept up to date.

    New passages get a vector in every space but a retired one.
    """

    BUILDING = "building", "Being built"
    READY = "ready", "Ready to switch to"
    ACTIVE = "active", "Active"
    RETIRED = "retired", "Retired"


class EmbeddingSpace(models.Model):
    """The vectors of one model; vectors of two spaces are never compared."""

    provider = models.CharField(max_length=64)
    model = models.CharField(max_length=200)
    dimensions = models.PositiveIntegerField()
    status = models.CharField(
        max_length=16, choices=SpaceStatus.choices, default=SpaceStatus.BUILDING
    )
    options = models.JSONField(
        default=dict,
        db_default=models.Value({}, models.JSONField()),
        blank=True,
        help_text="How the model is asked: address, prefixes, longest text. Never a key.",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    activated_at = models.DateTimeField(null=True, blank=True)

    filled_to = models.BigIntegerField(
        default=0, db_default=0, help_text="Passages up to this number were filled in."
    )
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    is_stop_requested = models.BooleanField(default=False, db_default=False)
    fault = models.TextField(blank=True, default="", db_default="")
    comparison = models.JSONField(
        default=dict,
        db_default=models.Value({}, models.JSONField()),
        blank=True,
        help_text="How it did on the golden questions beside the active model.",
    )

    history = CuratedRecords(
        without=(
            "options",
            "created_at",
            "activated_at",
            "filled_to",
            "heartbeat_at",
            "is_stop_requested",
            "fault",
            "comparison",
        )
    )

    class Meta:
        verbose_name = "embedding model"
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["provider", "model", "dimensions"], name="embeddingspace_unique"
            ),
            models.UniqueConstraint(
                fields=["status"], condition=Q(status="active"), name="embeddingspace_one_active"
            ),
            models.CheckConstraint(
                name="embeddingspace_width", condition=Q(dimensions__gte=1, dimensions__lte=4000)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.model} ({self.dimensions})"

    @property
    def index_name(self) -> str:
        """Name of the HNSW index over the vectors of this space."""
        return f"chunkembedding_hnsw_space_{self.pk}"


class ChunkEmbedding(models.Model):
    """The vector of one chunk in one space; unit length."""

    space = models.ForeignKey(EmbeddingSpace, on_delete=models.CASCADE, related_name="embeddings")
    chunk = models.ForeignKey(Chunk, on_delete=models.CASCADE, related_name="embeddings")
    vector = VectorField(editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["space", "chunk"], name="chunkembedding_unique"),
            is_not_zero_vector("chunkembedding_not_zero"),
        ]

    def __str__(self) -> str:
        return f"vector of chunk {self.chunk_id}"
