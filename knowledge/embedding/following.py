"""Embeds by the model of the active space, whichever that is by then."""

from collections.abc import Callable, Sequence

from knowledge.embedding.base import Embedder, EmbeddingSpec, Vector
from knowledge.models import EmbeddingSpace, SpaceStatus

Build = Callable[[EmbeddingSpace | None], Embedder]


def find_active() -> EmbeddingSpace | None:
    """Return the space that questions are compared in, None before the first document."""
    return EmbeddingSpace.objects.filter(status=SpaceStatus.ACTIVE).first()


class FollowingEmbedder:
    """Reads at each call which space is active: a switch takes effect in all processes at once.

    Whoever compares or stores what it returns first takes the embedder of one space, by `of`.
    """

    def __init__(self, *, build: Build) -> None:
        self._build = build

    @property
    def spec(self) -> EmbeddingSpec:
        return self.current().spec

    def current(self) -> Embedder:
        """Return the embedder of the space that is active now, or of the settings."""
        return self._build(find_active())

    def of(self, space: EmbeddingSpace) -> Embedder:
        """Return the embedder of one space."""
        return self._build(space)

    def load(self) -> None:
        self.current().load()

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return self.current().embed_passages(texts)

    def embed_query(self, text: str) -> Vector:
        return self.current().embed_query(text)


def in_space(embedder: Embedder, space: EmbeddingSpace) -> Embedder:
    """Return the embedder of a space, where one that follows is given; else the one given."""
    return embedder.of(space) if isinstance(embedder, FollowingEmbedder) else embedder
