"""Chooses the embedder that the settings name, once per process."""

from functools import lru_cache

from django.core.exceptions import ImproperlyConfigured

from knowledge.conf import KnowledgeSettings, knowledge_settings
from knowledge.embedding.base import Embedder, Tokenizer
from knowledge.embedding.hashing import HashingEmbedder, RegexTokenizer
from knowledge.embedding.limited import TimeLimitedEmbedder
from knowledge.embedding.sentence_transformer import (
    SentenceTransformerEmbedder,
    WordPieceTokenizer,
)


def get_embedder() -> Embedder:
    """Return the embedder in force; its model loads when it embeds first."""
    return _build(knowledge_settings())[0]


def get_tokenizer() -> Tokenizer:
    """Return the tokenizer of the embedder in force, without loading the model."""
    return _build(knowledge_settings())[1]


def get_query_embedder() -> Embedder:
    """Return the embedder in force for one who waits: questions are given up in time."""
    return _build_limited(knowledge_settings())


@lru_cache(maxsize=4)
def _build_limited(settings: KnowledgeSettings) -> Embedder:
    embedder, _ = _build(settings)
    limit_ms = settings.query_embedding_timeout_ms
    return TimeLimitedEmbedder(embedder, limit_ms=limit_ms) if limit_ms > 0 else embedder


@lru_cache(maxsize=4)
def _build(settings: KnowledgeSettings) -> tuple[Embedder, Tokenizer]:
    match settings.embedding_provider:
        case "sentence-transformers":
            embedder = SentenceTransformerEmbedder(
                settings.embedding_model, batch_size=settings.embedding_batch_size
            )
            return embedder, WordPieceTokenizer(settings.embedding_model)
        case "hashing":
            return HashingEmbedder(dimensions=settings.embedding_dimensions), RegexTokenizer()
        case unknown:
            message = (
                f"EMBEDDING_PROVIDER is {unknown!r};"
                " it may be 'sentence-transformers' or 'hashing'."
            )
            raise ImproperlyConfigured(message)
