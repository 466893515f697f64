"""Which model embeds and how it is asked: from the settings, or from the space it made."""

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Self

from knowledge.conf import KnowledgeSettings
from knowledge.embedding.hashing import HASHED_WORDS
from knowledge.embedding.hashing import PROVIDER as HASHING
from knowledge.embedding.sentence_transformer import PROVIDER as SENTENCE_TRANSFORMERS
from knowledge.embedding.sentence_transformer import model_name
from knowledge.models import EmbeddingSpace

IDENTITY = frozenset({"provider", "model", "dimensions"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """A model by provider and name; `dimensions` 0 means as many numbers as it gives.

    `base_url` empty is the address of the settings. An address of its own takes no key but that of
    its own `api_key_variable`: a key never goes to another server than it was given for.
    """

    provider: str
    model: str
    dimensions: int = 0
    location: str = ""
    base_url: str = ""
    api_key_variable: str = ""
    query_prefix: str = ""
    document_prefix: str = ""
    max_tokens: int = 0
    asks_dimensions: bool = False

    @property
    def name(self) -> str:
        """What a space of the model is called."""
        if self.provider == SENTENCE_TRANSFORMERS:
            return model_name(self.location or self.model)
        return HASHED_WORDS if self.provider == HASHING else self.model

    @classmethod
    def of_settings(cls, settings: KnowledgeSettings) -> Self:
        """Return the choice that the settings name."""
        return cls(
            provider=settings.embedding_provider,
            model=settings.embedding_model,
            dimensions=settings.embedding_dimensions,
            query_prefix=settings.embedding_query_prefix,
            document_prefix=settings.embedding_document_prefix,
            max_tokens=settings.embedding_max_tokens,
            asks_dimensions=settings.embedding_dimensions > 0,
        )

    @classmethod
    def of_space(cls, space: EmbeddingSpace, settings: KnowledgeSettings) -> Self:
        """Return the choice that a space was made by."""
        known = {field.name for field in fields(cls)} - IDENTITY
        options = {key: value for key, value in space.options.items() if key in known}
        if space.provider == SENTENCE_TRANSFORMERS and "location" not in options:
            given = settings.embedding_model
            options["location"] = given if model_name(given) == space.model else ""
        return cls(
            provider=space.provider, model=space.model, dimensions=space.dimensions, **options
        )

    def options(self) -> Mapping[str, object]:
        """Return what a space keeps of the choice beside its identity."""
        kept = {key: value for key, value in asdict(self).items() if key not in IDENTITY and value}
        if self.provider == SENTENCE_TRANSFORMERS:
            kept["location"] = self.location or self.model
        return kept

    def api_key(self, settings: KnowledgeSettings) -> str:
        """Return the key to ask with, empty for none."""
        if self.api_key_variable:
            return os.environ.get(self.api_key_variable, "")
        return "" if self.base_url else settings.embedding_api_key
