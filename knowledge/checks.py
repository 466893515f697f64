"""System checks of the stored vectors and the indexes that search needs.

They warn: an error would keep `migrate` and the server, which still finds by words, from running.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from django.core.checks import CheckMessage, Tags, register
from django.core.checks import Warning as CheckWarning
from django.db import DatabaseError, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from crmind.exceptions import CRMindError
from knowledge.embedding.registry import embedder_of, is_local
from knowledge.models import EmbeddingSpace, SpaceStatus
from knowledge.services.spaces import index_statement, settings_note

SPACES = "knowledge_embeddingspace"
TEXT_INDEXES = {
    name: f"CREATE INDEX {name} ON knowledge_chunk USING gin ({indexed}) WITH (fastupdate = off)"
    for name, indexed in (
        ("chunk_search_vector", "search_vector"),
        ("chunk_repeated_terms", "crmind_repeated(search_vector)"),
    )
}


def database_check(
    find: Callable[[BaseDatabaseWrapper], Iterator[CheckMessage]],
) -> Callable[..., list[CheckMessage]]:
    """Run a check on each database named that has the tables of this app and answers."""

    def check(databases: Sequence[str] | None = None, **_options: Any) -> list[CheckMessage]:
        messages: list[CheckMessage] = []
        for alias in databases or ():
            connection = connections[alias]
            try:
                if SPACES in connection.introspection.table_names():
                    messages += find(connection)
            except (DatabaseError, CRMindError):
                continue
        return messages

    check.__doc__ = find.__doc__
    return check


@register(Tags.database)
@database_check
def check_embedding_space(connection: BaseDatabaseWrapper) -> Iterator[CheckMessage]:
    """Warn of a model that cannot be read, and of settings that name another one than is used."""
    space = _active_space(connection)
    try:
        embedder = embedder_of(space)
        if is_local(embedder):
            _ = embedder.spec
    except CRMindError as error:
        yield CheckWarning(
            f"The embedding model cannot be read: {error}",
            hint="Set EMBEDDING_MODEL to a model that is there; search finds by words until then.",
            id="knowledge.W004",
        )
    note = settings_note(space) if space is not None else ""
    if note:
        yield CheckWarning(
            note,
            hint=(
                "Go over to the model of the settings by `manage.py reembed`, or name the one in"
                " use in EMBEDDING_PROVIDER and EMBEDDING_MODEL."
            ),
            id="knowledge.W001",
        )


@register(Tags.database)
@database_check
def check_vector_index(connection: BaseDatabaseWrapper) -> Iterator[CheckMessage]:
    """Warn of an active space whose index is missing or was left half built."""
    space = _active_space(connection)
    if space is not None and not _has_valid_index(connection, space.index_name):
        yield CheckWarning(
            f"The index {space.index_name} of the active vectors is missing or not valid.",
            hint=f"Build it, after DROP INDEX of a damaged one: {index_statement(space)};",
            id="knowledge.W002",
        )


@register(Tags.database)
@database_check
def check_text_index(connection: BaseDatabaseWrapper) -> Iterator[CheckMessage]:
    """Warn of a database without one of the text search indexes."""
    for name, building in TEXT_INDEXES.items():
        if not _has_valid_index(connection, name):
            yield CheckWarning(
                f"The text search index {name} is missing or not valid.",
                hint=f"Build it, after DROP INDEX of a damaged one: {building};",
                id="knowledge.W003",
            )


def _active_space(connection: BaseDatabaseWrapper) -> EmbeddingSpace | None:
    spaces = EmbeddingSpace.objects.using(connection.alias)
    return spaces.filter(status=SpaceStatus.ACTIVE).first()


def _has_valid_index(connection: BaseDatabaseWrapper, name: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT indisvalid AND indisready FROM pg_index WHERE indexrelid = to_regclass(%s)",
            [name],
        )
        row = cursor.fetchone()
    return bool(row and row[0])
