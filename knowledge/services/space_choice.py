"""Checks the model that somebody asks to go over to."""

import os

from crmind.exceptions import InvalidInputError
from knowledge.conf import knowledge_settings
from knowledge.embedding.choice import ModelChoice
from knowledge.embedding.http import DIALECTS, MAX_DIMENSIONS
from knowledge.embedding.registry import PROVIDERS
from knowledge.embedding.transport import checked_url

# No other secret of the environment can be sent to an address by naming its variable.
KEY_SUFFIX = "_API_KEY"


def new_choice(  # noqa: PLR0913 # each is a choice of its own
    *,
    provider: str,
    model: str,
    dimensions: int = 0,
    base_url: str = "",
    api_key_variable: str = "",
    query_prefix: str | None = None,
    document_prefix: str | None = None,
    max_tokens: int = 0,
) -> ModelChoice:
    """Return the choice; prefixes left out are those of the settings if they name this model.

    Raises InvalidInputError naming the field, or EmbeddingError for an address that is none.
    """
    settings = knowledge_settings()
    _check(provider, model.strip(), dimensions, base_url.strip(), api_key_variable.strip())
    is_of_settings = (provider, model) == (settings.embedding_provider, settings.embedding_model)
    own = ModelChoice.of_settings(settings) if is_of_settings else None
    return ModelChoice(
        provider=provider,
        model=model.strip(),
        dimensions=dimensions,
        base_url=base_url.strip(),
        api_key_variable=api_key_variable.strip(),
        query_prefix=query_prefix if query_prefix is not None else own.query_prefix if own else "",
        document_prefix=(
            document_prefix if document_prefix is not None else own.document_prefix if own else ""
        ),
        max_tokens=max_tokens or (own.max_tokens if own else 0),
        asks_dimensions=dimensions > 0 and provider in DIALECTS,
    )


def _check(
    provider: str, model: str, dimensions: int, base_url: str, api_key_variable: str
) -> None:
    if provider not in PROVIDERS:
        message = f"provider: it may be {', '.join(PROVIDERS)}."
        raise InvalidInputError(message, field="provider")
    if not model:
        message = "model: give the name of a model."
        raise InvalidInputError(message, field="model")
    if not 0 <= dimensions <= MAX_DIMENSIONS:
        message = f"dimensions: give 0 (as many as the model gives) to {MAX_DIMENSIONS}."
        raise InvalidInputError(message, field="dimensions")
    if base_url and provider not in DIALECTS:
        message = f"base_url: only {' and '.join(DIALECTS)} are asked at an address."
        raise InvalidInputError(message, field="base_url")
    if base_url:
        checked_url(base_url)
    if api_key_variable:
        _check_key(base_url, api_key_variable)


def _check_key(base_url: str, api_key_variable: str) -> None:
    if not base_url:
        message = "api_key_variable: it belongs to an address of its own; give base_url too."
        raise InvalidInputError(message, field="api_key_variable")
    if not api_key_variable.endswith(KEY_SUFFIX):
        message = f"api_key_variable: its name has to end with {KEY_SUFFIX}."
        raise InvalidInputError(message, field="api_key_variable")
    if not os.environ.get(api_key_variable):
        message = f"api_key_variable: {api_key_variable} is not set in the environment."
        raise InvalidInputError(message, field="api_key_variable")
