"""Chooses the embedder: that of the active space, or before there is one, of the settings."""

from functools import lru_cache

from django.core.exceptions import ImproperlyConfigured

from knowledge.conf import KnowledgeSettings, knowledge_settings
from knowledge.embedding.base import Embedder, Tokenizer
from knowledge.embedding.choice import ModelChoice
from knowledge.embedding.fallback import FallbackEmbedder
from knowledge.embedding.following import FollowingEmbedder, find_active
from knowledge.embedding.hashing import DEFAULT_DIMENSIONS, HashingEmbedder, RegexTokenizer
from knowledge.embedding.hashing import PROVIDER as HASHING
from knowledge.embedding.http import DIALECTS, Endpoint, HttpEmbedder
from knowledge.embedding.limited import TimeLimitedEmbedder
from knowledge.embedding.sentence_transformer import PROVIDER as SENTENCE_TRANSFORMERS
from knowledge.embedding.sentence_transformer import (
    SentenceTransformerEmbedder,
    WordPieceTokenizer,
)
from knowledge.models import EmbeddingSpace

DEFAULT_MAX_TOKENS = 512
PROVIDERS = (SENTENCE_TRANSFORMERS, *DIALECTS, HASHING)


def get_embedder() -> Embedder:
    """Return the embedder in force, whichever it is when it is asked."""
    return FollowingEmbedder(build=embedder_of)


def get_query_embedder() -> Embedder:
    """Return the embedder in force for one who waits: questions are given up in time."""
    return FollowingEmbedder(build=query_embedder_of)


def settings_embedder() -> Embedder:
    """Return the embedder that the settings name, whatever made the stored vectors."""
    return embedder_of(None)


def settings_tokenizer() -> Tokenizer:
    """Return the tokenizer of the embedder that the settings name."""
    return tokenizer_for(_choice(None))


def get_tokenizer() -> Tokenizer:
    """Return the tokenizer of the embedder in force, without loading the model."""
    return tokenizer_for(_choice(find_active()))


def embedder_of(space: EmbeddingSpace | None) -> Embedder:
    """Return the embedder of a space, or of the settings; its model loads when it embeds first."""
    return embedder_for(_choice(space))


def query_embedder_of(space: EmbeddingSpace | None) -> Embedder:
    """Return the same for one who waits."""
    return _build_limited(_choice(space), knowledge_settings())


def is_local(embedder: Embedder) -> bool:
    """Tell whether a model is on this computer: asking for its width costs no request."""
    return not isinstance(embedder, HttpEmbedder | FallbackEmbedder)


def embedder_for(choice: ModelChoice) -> Embedder:
    """Return the embedder of a choice. Raises ImproperlyConfigured for an unknown provider."""
    return _build(choice, knowledge_settings())


@lru_cache(maxsize=8)
def tokenizer_for(choice: ModelChoice) -> Tokenizer:
    """Return what counts the tokens of a model; where that is not at hand, what counts as many."""
    match choice.provider:
        case "sentence-transformers":
            return WordPieceTokenizer(choice.location or choice.model)
        case "hashing":
            return RegexTokenizer()
        case _:
            return WordPieceTokenizer()


def _choice(space: EmbeddingSpace | None) -> ModelChoice:
    settings = knowledge_settings()
    if space is None:
        return ModelChoice.of_settings(settings)
    return ModelChoice.of_space(space, settings)


@lru_cache(maxsize=8)
def _build_limited(choice: ModelChoice, settings: KnowledgeSettings) -> Embedder:
    embedder = _build(choice, settings)
    limit_ms = settings.query_embedding_timeout_ms
    return TimeLimitedEmbedder(embedder, limit_ms=limit_ms) if limit_ms > 0 else embedder


@lru_cache(maxsize=8)
def _build(choice: ModelChoice, settings: KnowledgeSettings) -> Embedder:
    match choice.provider:
        case "sentence-transformers":
            return SentenceTransformerEmbedder(
                choice.location or choice.model, batch_size=settings.embedding_batch_size
            )
        case "hashing":
            return HashingEmbedder(dimensions=choice.dimensions or DEFAULT_DIMENSIONS)
        case provider if provider in DIALECTS:
            return _with_fallback(_build_http(choice, settings), settings)
        case unknown:
            message = (
                f"EMBEDDING_PROVIDER is {unknown!r}; it may be {', '.join(map(repr, PROVIDERS))}."
            )
            raise ImproperlyConfigured(message)


def _build_http(choice: ModelChoice, settings: KnowledgeSettings) -> HttpEmbedder:
    query_seconds = settings.query_embedding_timeout_ms / 1_000
    return HttpEmbedder(
        Endpoint(
            dialect=DIALECTS[choice.provider],
            base_url=choice.base_url or settings.embedding_base_url,
            api_key=choice.api_key(settings),
            timeout_seconds=settings.embedding_timeout_seconds,
            query_timeout_seconds=query_seconds or settings.embedding_timeout_seconds,
            attempts=settings.embedding_attempts,
            batch_size=settings.embedding_batch_size,
        ),
        provider=choice.provider,
        model=choice.model,
        dimensions=choice.dimensions,
        asks_dimensions=choice.asks_dimensions,
        max_tokens=choice.max_tokens or DEFAULT_MAX_TOKENS,
        query_prefix=choice.query_prefix,
        document_prefix=choice.document_prefix,
    )


def _with_fallback(embedder: HttpEmbedder, settings: KnowledgeSettings) -> Embedder:
    if not settings.embedding_fallback_model:
        return embedder
    local = SentenceTransformerEmbedder(
        settings.embedding_fallback_model, batch_size=settings.embedding_batch_size
    )
    return FallbackEmbedder(embedder, local)
