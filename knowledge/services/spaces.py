"""Which embedding model the stored vectors belong to."""

from django.db import connection, transaction
from django.utils import timezone

from knowledge.embedding.base import EmbeddingSpec
from knowledge.exceptions import SpaceMismatchError
from knowledge.models import ChunkEmbedding, EmbeddingSpace, SpaceStatus

# Links per node and candidates while building, as in Malkov and Yashunin, "Efficient and robust
# approximate nearest neighbor search using Hierarchical Navigable Small World graphs" (2018).
HNSW_M = 16
HNSW_EF_CONSTRUCTION = 64

CREATION_LOCK = 7_310_041


def find_active_space() -> EmbeddingSpace | None:
    """Return the space that questions are compared in, None before the first document."""
    return EmbeddingSpace.objects.filter(status=SpaceStatus.ACTIVE).first()


def active_space(spec: EmbeddingSpec) -> EmbeddingSpace:
    """Return the active space, which must be that of `spec`. Raises SpaceMismatchError."""
    space = find_active_space()
    if space is None:
        message = "Nothing is embedded yet. Ingest documents first."
        raise SpaceMismatchError(message)
    if not is_space_of(space, spec):
        raise SpaceMismatchError(mismatch_message(space, spec))
    return space


def ensure_space(spec: EmbeddingSpec) -> EmbeddingSpace:
    """Return the active space of `spec`; the first call ever makes and activates it.

    A space without vectors gives way to another model. Raises SpaceMismatchError otherwise.
    """
    space = find_active_space()
    if space is not None and is_space_of(space, spec):
        return space
    return _activate(spec)


def is_space_of(space: EmbeddingSpace, spec: EmbeddingSpec) -> bool:
    """Tell whether vectors of `spec` may be compared with those of `space`."""
    identity = (space.provider, space.model, space.dimensions)
    return identity == (spec.provider, spec.model, spec.dimensions)


def mismatch_message(space: EmbeddingSpace, spec: EmbeddingSpec) -> str:
    """Name both models and what to do."""
    return (
        f"The stored vectors were made by {space.provider} {space.model} ({space.dimensions}"
        f" numbers), but the settings name {spec.provider} {spec.model} ({spec.dimensions})."
        f" Vectors of two models cannot be compared. Set EMBEDDING_PROVIDER={space.provider} and"
        f" EMBEDDING_MODEL={space.model} again, or use an empty database for the new model."
    )


@transaction.atomic
def _activate(spec: EmbeddingSpec) -> EmbeddingSpace:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [CREATION_LOCK])
    active = find_active_space()
    if active is not None:
        if is_space_of(active, spec):
            return active
        if ChunkEmbedding.objects.filter(space=active).exists():
            raise SpaceMismatchError(mismatch_message(active, spec))
        active.status = SpaceStatus.RETIRED
        active.save(update_fields=["status"])
    space, _ = EmbeddingSpace.objects.get_or_create(
        provider=spec.provider, model=spec.model, dimensions=spec.dimensions
    )
    create_index(space)
    space.status = SpaceStatus.ACTIVE
    space.activated_at = timezone.now()
    space.save(update_fields=["status", "activated_at"])
    return space


def create_index(space: EmbeddingSpace) -> None:
    """Build the HNSW index over the vectors of one space, in half precision."""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP INDEX IF EXISTS {space.index_name}")
        cursor.execute(index_statement(space))


def index_statement(space: EmbeddingSpace) -> str:
    """Return the statement that builds the HNSW index over the vectors of one space."""
    return (
        f"CREATE INDEX {space.index_name} ON knowledge_chunkembedding"
        f" USING hnsw ((vector::halfvec({space.dimensions:d})) halfvec_cosine_ops)"
        f" WITH (m = {HNSW_M}, ef_construction = {HNSW_EF_CONSTRUCTION})"
        f" WHERE space_id = {space.pk:d}"
    )
