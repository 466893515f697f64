"""Embedding models in use and the vectors they made."""

from django.db import models
from django.db.models import Q
from pgvector.django import VectorField

from knowledge.models.chunk import Chunk
from knowledge.models.fields import is_not_zero_vector


class SpaceStatus(models.TextChoices):
    """Whether vectors of a space are compared with questions."""

    BUILDING = "building", "Being built"
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
    created_at = models.DateTimeField(auto_now_add=True)
    activated_at = models.DateTimeField(null=True, blank=True)

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
