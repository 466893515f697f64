"""How each embedding model stands."""

from dataclasses import dataclass

from django.db.models import Count

from knowledge.models import Chunk, ChunkEmbedding, EmbeddingSpace, SpaceStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceStanding:
    """A space, how many passages have a vector in it, and of how many."""

    space: EmbeddingSpace
    embedded: int
    total: int

    @property
    def is_new(self) -> bool:
        """Whether it is complete and never answered before."""
        return self.space.status == SpaceStatus.READY and self.space.activated_at is None

    @property
    def words(self) -> str:
        """Its state in words."""
        return words_for(self.space)


def words_for(space: EmbeddingSpace) -> str:
    """Return the state of a space in words."""
    if space.status == SpaceStatus.READY and space.activated_at is not None:
        return "answered before, kept up to date"
    return {
        SpaceStatus.BUILDING: "being built",
        SpaceStatus.READY: "complete, not in use yet",
        SpaceStatus.ACTIVE: "in use",
        SpaceStatus.RETIRED: "not used any more",
    }[SpaceStatus(space.status)]


def describe_spaces() -> list[SpaceStanding]:
    """Return every space, the newest first."""
    total = Chunk.objects.count()
    rows = ChunkEmbedding.objects.order_by().values_list("space_id").annotate(Count("pk"))
    counts = dict(rows)
    return [
        SpaceStanding(space=space, embedded=counts.get(space.pk, 0), total=total)
        for space in EmbeddingSpace.objects.order_by("-pk")
    ]
