"""Which embedding model the stored vectors belong to."""

from collections.abc import Mapping

from django.db import connection, transaction
from django.utils import timezone

from knowledge.conf import knowledge_settings
from knowledge.embedding.base import Embedder, EmbeddingSpec
from knowledge.embedding.choice import ModelChoice
from knowledge.embedding.following import FollowingEmbedder, find_active, in_space
from knowledge.exceptions import SpaceMismatchError
from knowledge.models import ChunkEmbedding, EmbeddingSpace, SpaceStatus

# Links per node and candidates while building, as in Malkov and Yashunin, "Efficient and robust
# approximate nearest neighbor search using Hierarchical Navigable Small World graphs" (2018).
HNSW_M = 16
HNSW_EF_CONSTRUCTION = 200

CREATION_LOCK = 7_310_041
# Shared by whoever writes passages, held alone by whoever changes which spaces they are written to.
SPACES_LOCK = 7_310_044

# Marks a space that was chosen by a switch: the settings do not displace it, even when empty.
SWITCHED_TO = "is_switched_to"

ANSWERING = (SpaceStatus.ACTIVE, SpaceStatus.READY)


def find_active_space() -> EmbeddingSpace | None:
    """Return the space that questions are compared in, None before the first document."""
    return find_active()


def find_answering(embedder: Embedder) -> tuple[EmbeddingSpace, Embedder] | None:
    """Return the space to compare a question in and the embedder of it; None before the first.

    An embedder that follows the active space is taken as that of it. Any other one may also belong
    to a space that is complete and kept up to date, as the one before a switch is. Raises
    SpaceMismatchError.
    """
    active = find_active_space()
    if active is None:
        return None
    own = in_space(embedder, active)
    if isinstance(embedder, FollowingEmbedder) or is_space_of(active, own.spec):
        return active, own
    kept = EmbeddingSpace.objects.filter(status__in=ANSWERING)
    for space in kept.order_by("pk"):
        if is_space_of(space, own.spec):
            return space, own
    raise SpaceMismatchError(mismatch_message(active, own.spec))


def embedder_now(embedder: Embedder) -> Embedder:
    """Return the embedder that one which follows the active space is now, and stays."""
    return embedder.current() if isinstance(embedder, FollowingEmbedder) else embedder


def active_space(spec: EmbeddingSpec) -> EmbeddingSpace:
    """Return the active space, which must be that of `spec`. Raises SpaceMismatchError."""
    space = find_active_space()
    if space is None:
        message = "Nothing is embedded yet. Ingest documents first."
        raise SpaceMismatchError(message)
    if not is_space_of(space, spec):
        raise SpaceMismatchError(mismatch_message(space, spec))
    return space


def ensure_space(
    spec: EmbeddingSpec, *, options: Mapping[str, object] | None = None
) -> EmbeddingSpace:
    """Return the active space of `spec`; the first call ever makes and activates it.

    `options` tells how its model is asked. A space without vectors gives way to another model.
    Raises SpaceMismatchError otherwise.
    """
    space = find_active_space()
    if space is not None and is_space_of(space, spec):
        return space
    return _activate(spec, options or {})


def is_space_of(space: EmbeddingSpace, spec: EmbeddingSpec) -> bool:
    """Tell whether vectors of `spec` may be compared with those of `space`."""
    identity = (space.provider, space.model, space.dimensions)
    return identity == (spec.provider, spec.model, spec.dimensions)


def is_choice_of(space: EmbeddingSpace, choice: ModelChoice) -> bool:
    """Tell whether a choice means the model of a space, without asking or loading it."""
    is_as_wide = choice.dimensions in {0, space.dimensions}
    return is_as_wide and (space.provider, space.model) == (choice.provider, choice.name)


def settings_note(space: EmbeddingSpace) -> str:
    """Return what to know where the settings name another model than the active one, else empty."""
    choice = ModelChoice.of_settings(knowledge_settings())
    if is_choice_of(space, choice):
        return ""
    return (
        f"The settings name the embedding model {choice.provider} {choice.name}"
        f"{f' ({choice.dimensions} numbers)' if choice.dimensions else ''}, but the stored vectors"
        f" were made by {space.provider} {space.model} ({space.dimensions} numbers), which goes on"
        " being used."
    )


def mismatch_message(space: EmbeddingSpace, spec: EmbeddingSpec) -> str:
    """Name both models and what to do."""
    return (
        f"The stored vectors were made by {space.provider} {space.model} ({space.dimensions}"
        f" numbers), but the settings name {spec.provider} {spec.model} ({spec.dimensions})."
        f" Vectors of two models cannot be compared. Set EMBEDDING_PROVIDER={space.provider} and"
        f" EMBEDDING_MODEL={space.model} again, or go over to the new model by"
        f" `manage.py reembed --provider {spec.provider} --model {spec.model}`."
    )


@transaction.atomic
def _activate(spec: EmbeddingSpec, options: Mapping[str, object]) -> EmbeddingSpace:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [CREATION_LOCK])
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [SPACES_LOCK])
    active = find_active_space()
    if active is not None:
        if is_space_of(active, spec):
            return active
        if ChunkEmbedding.objects.filter(space=active).exists():
            raise SpaceMismatchError(mismatch_message(active, spec))
        active.status = SpaceStatus.RETIRED
        active.save(update_fields=["status"])
    space, _ = EmbeddingSpace.objects.get_or_create(
        provider=spec.provider,
        model=spec.model,
        dimensions=spec.dimensions,
        defaults={"options": dict(options)},
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
