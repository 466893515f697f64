"""What a client of the API may see and give away."""

from collections.abc import Iterable
from typing import Any

from django.db.models import QuerySet
from rest_framework.request import Request

from knowledge.exceptions import AccessDeniedError
from knowledge.models import ApiKey, Document, Source


def client_of(request: Request) -> ApiKey:
    """Return the API key the request came with."""
    client = request.auth
    assert isinstance(client, ApiKey)  # noqa: S101 # the permission class has seen to it
    return client


def readable_sources(request: Request) -> "QuerySet[Source, Any]":
    """Return the sources whose documents the client may read."""
    tags = sorted(client_of(request).readable_tags)
    found: QuerySet[Source, Any] = Source.objects.filter(access_tags__overlap=tags)
    return found


def readable_documents(request: Request) -> "QuerySet[Document, Any]":
    """Return the documents the client may read."""
    found: QuerySet[Document, Any] = Document.objects.readable_with(
        client_of(request).readable_tags
    )
    return found


def check_tags_are_held(request: Request, tags: Iterable[str]) -> None:
    """Raise AccessDeniedError when the client would write for readers it does not belong to."""
    foreign = sorted(set(tags) - client_of(request).readable_tags)
    if foreign:
        message = f"This API key does not hold the access tags {foreign}."
        raise AccessDeniedError(message, field="access_tags")
