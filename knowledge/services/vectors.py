"""The vectors of passages about to be written: one per space that is kept up to date."""

import logging
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from django.db import connection

from crmind.exceptions import CRMindError
from knowledge.conf import knowledge_settings
from knowledge.embedding.base import Embedder, Vector
from knowledge.embedding.choice import ModelChoice
from knowledge.embedding.following import FollowingEmbedder, in_space
from knowledge.embedding.registry import embedder_of, settings_embedder
from knowledge.embedding.vectors import check_vectors
from knowledge.exceptions import EmbeddingError, SpaceMismatchError
from knowledge.models import ChunkEmbedding, EmbeddingSpace, SpaceStatus
from knowledge.services.spaces import SPACES_LOCK, SWITCHED_TO, ensure_space, find_active_space

logger = logging.getLogger(__name__)

KEPT = (SpaceStatus.BUILDING, SpaceStatus.READY)
# A second model that fails is left alone for a while: what it misses is filled in later.
REST_SECONDS = 60.0

_resting_until: dict[int, float] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageVectors:
    """Vectors by content hash, of one space or several."""

    by_space: Mapping[int, Mapping[str, Vector]] = field(default_factory=dict)

    def of(self, space_id: int) -> Mapping[str, Vector]:
        """Return those of one space."""
        return self.by_space.get(space_id, {})


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceEmbedder:
    """A space with the model that makes its vectors."""

    space_id: int
    embedder: Embedder


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingSpaces:
    """The active space, those kept up to date beside it, and the embedder they came from."""

    embedder: Embedder
    active: SpaceEmbedder
    others: tuple[SpaceEmbedder, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldSpaces:
    """Ids of the spaces that new passages are written to, until the transaction ends."""

    active_id: int
    other_ids: tuple[int, ...]


def writing_spaces(embedder: Embedder) -> WritingSpaces:
    """Return the spaces to embed new passages for. Raises SpaceMismatchError.

    An embedder that follows the active space is taken as the one of that space; any other one must
    be that of the active space, or the first ever.
    """
    space = _writing_space(embedder)
    kept = EmbeddingSpace.objects.filter(status__in=KEPT).order_by("pk")
    return WritingSpaces(
        embedder=embedder,
        active=SpaceEmbedder(space_id=space.pk, embedder=in_space(embedder, space)),
        others=tuple(
            SpaceEmbedder(space_id=other.pk, embedder=embedder_of(other)) for other in kept
        ),
    )


def _writing_space(embedder: Embedder) -> EmbeddingSpace:
    if not isinstance(embedder, FollowingEmbedder):
        return ensure_space(embedder.spec)
    active = find_active_space()
    if active is not None and not _gives_way(active):
        return active
    options = ModelChoice.of_settings(knowledge_settings()).options()
    return ensure_space(settings_embedder().spec, options=options)


def _gives_way(active: EmbeddingSpace) -> bool:
    """Tell whether another model in the settings may simply take the place of the first one."""
    if active.options.get(SWITCHED_TO):
        return False
    return not ChunkEmbedding.objects.filter(space=active).exists()


def hold_spaces() -> HeldSpaces:
    """Keep the spaces from being switched until the transaction ends, and return them."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock_shared(%s)", [SPACES_LOCK])
    rows = EmbeddingSpace.objects.exclude(status=SpaceStatus.RETIRED).order_by("pk")
    status_by_id = dict(rows.values_list("pk", "status"))
    active = [pk for pk, status in status_by_id.items() if status == SpaceStatus.ACTIVE]
    if not active:
        message = "There is no active embedding model any more. Try again."
        raise SpaceMismatchError(message)
    others = tuple(pk for pk in status_by_id if pk != active[0])
    return HeldSpaces(active_id=active[0], other_ids=others)


def embed_for(texts: Mapping[str, str], spaces: WritingSpaces) -> PassageVectors:
    """Return the vectors of texts, by key, for the active space and, if they can be had, others.

    Raises EmbeddingError or InvalidVectorError of the active model.
    """
    by_space = {spaces.active.space_id: embed_texts(texts, spaces.active.embedder)}
    for other in spaces.others:
        found = _embed_beside(texts, other)
        if found:
            by_space[other.space_id] = found
    return PassageVectors(by_space=by_space)


def embed_together(texts: Iterable[Mapping[str, str]], spaces: WritingSpaces) -> PassageVectors:
    """Embed the texts of several documents at once; none at all if one of them cannot be."""
    wanted = {key: text for each in texts for key, text in each.items()}
    try:
        return embed_for(wanted, spaces)
    except CRMindError as error:
        logger.warning("embedding %s passages together failed: %s", len(wanted), error)
        return PassageVectors()


def embed_texts(texts: Mapping[str, str], embedder: Embedder) -> dict[str, Vector]:
    """Return the vectors of texts by key, embedded in the order of length: less padding."""
    if not texts:
        return {}
    keys = sorted(texts, key=lambda key: (len(texts[key]), key))
    try:
        vectors = embedder.embed_passages([texts[key] for key in keys])
    except CRMindError:
        raise
    except Exception as error:
        message = f"{embedder.spec.model}: {error}"
        raise EmbeddingError(message) from error
    return dict(zip(keys, check_vectors(vectors, embedder.spec, count=len(keys)), strict=True))


def _embed_beside(texts: Mapping[str, str], other: SpaceEmbedder) -> dict[str, Vector]:
    if time.monotonic() < _resting_until.get(other.space_id, 0.0):
        return {}
    try:
        return embed_texts(texts, other.embedder)
    except CRMindError as error:
        _resting_until[other.space_id] = time.monotonic() + REST_SECONDS
        logger.warning("space %s: %s passages not embedded: %s", other.space_id, len(texts), error)
        return {}
