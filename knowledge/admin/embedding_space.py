"""Embedding models in use."""

from django.contrib import admin
from unfold.decorators import display

from knowledge.admin.curation import ReadOnlyAdmin
from knowledge.models import EmbeddingSpace, SpaceStatus


@admin.register(EmbeddingSpace)
class EmbeddingSpaceAdmin(ReadOnlyAdmin):
    """Models whose vectors are kept; changed by the operators' commands."""

    list_display = ("model", "provider", "dimensions", "state", "created_at", "activated_at")
    fields = ("model", "provider", "dimensions", "status", "created_at", "activated_at")

    @display(
        description="State",
        ordering="status",
        label={
            SpaceStatus.BUILDING: "info",
            SpaceStatus.ACTIVE: "success",
            SpaceStatus.RETIRED: "default",
        },
    )
    def state(self, space: EmbeddingSpace) -> tuple[str, str]:
        """Return the status as a badge."""
        return space.status, space.get_status_display()
