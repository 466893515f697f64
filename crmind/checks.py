"""System checks of what the product stands on: database server, extensions, queue."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.core.checks import Warning as CheckWarning
from django.db import DatabaseError, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from crmind.exceptions import UnavailableError

POSTGRES_MINIMUM = 15
# 0.8.2 to 0.8.4 repaired an overflow and damaged HNSW indexes.
PGVECTOR_MINIMUM = (0, 8, 4)
EXTENSIONS = ("pg_trgm", "unaccent")
DURABILITY = ("fsync", "full_page_writes", "synchronous_commit")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtensionVersions:
    """The version that CREATE EXTENSION would install, and the one in the database."""

    available: str
    installed: str | None


DatabaseCheck = Callable[..., list[CheckMessage]]


def database_check(
    find: Callable[[BaseDatabaseWrapper], Iterator[CheckMessage]],
) -> DatabaseCheck:
    """Run a check on each PostgreSQL database named; silent where none answers (see E001)."""

    def check(databases: Sequence[str] | None = None, **_options: Any) -> list[CheckMessage]:
        messages: list[CheckMessage] = []
        for alias in databases or ():
            connection = connections[alias]
            if connection.vendor == "postgresql":
                messages += found_on(connection, find)
        return messages

    check.__doc__ = find.__doc__
    return check


def found_on(
    connection: BaseDatabaseWrapper,
    find: Callable[[BaseDatabaseWrapper], Iterator[CheckMessage]],
) -> list[CheckMessage]:
    try:
        return list(find(connection))
    except (DatabaseError, UnavailableError):
        return []


@register(Tags.database)
def check_connection(databases: Sequence[str] | None = None, **_options: Any) -> list[CheckMessage]:
    """Report databases that do not answer."""
    messages: list[CheckMessage] = []
    for alias in databases or ():
        try:
            connections[alias].ensure_connection()
        except (DatabaseError, UnavailableError) as error:
            reason = str(error).strip()
            messages.append(
                Error(
                    f"The database {alias!r} does not answer: {reason}",
                    hint="Start it and correct DATABASE_URL, or unset it for the embedded server.",
                    id="crmind.E001",
                )
            )
    return messages


@register()
def check_engine(**_options: Any) -> list[CheckMessage]:
    """Refuse databases other than PostgreSQL."""
    engine = settings.DATABASES["default"]["ENGINE"]
    if connections["default"].vendor == "postgresql":
        return []
    return [
        Error(
            f"The database engine is {engine}; CRMind needs PostgreSQL.",
            hint="Set DATABASE_URL=postgres://USER:PASSWORD@HOST:PORT/NAME, or unset it.",
            id="crmind.E002",
        )
    ]


@register(Tags.database)
@database_check
def check_server_version(connection: BaseDatabaseWrapper) -> Iterator[CheckMessage]:
    """Refuse servers older than the oldest supported."""
    [(number,)] = select(connection, "select current_setting('server_version_num')::int")
    yield from server_version_faults(number // 10_000)


def server_version_faults(major: int) -> Iterator[CheckMessage]:
    if major < POSTGRES_MINIMUM:
        yield Error(
            f"The server is PostgreSQL {major}; {POSTGRES_MINIMUM} or newer is needed.",
            hint="Upgrade it, or unset DATABASE_URL for the embedded server.",
            id="crmind.E003",
        )


@register(Tags.database)
@database_check
def check_pgvector(connection: BaseDatabaseWrapper) -> Iterator[CheckMessage]:
    """Refuse a missing or an old pgvector."""
    yield from pgvector_faults(extension_versions(connection, ["vector"]).get("vector"))


def pgvector_faults(versions: ExtensionVersions | None) -> Iterator[CheckMessage]:
    least = ".".join(map(str, PGVECTOR_MINIMUM))
    if versions is None:
        yield Error(
            "The server does not offer the extension pgvector.",
            hint=f"Install pgvector {least} or newer on the server.",
            id="crmind.E004",
        )
        return
    available, installed = versions.available, versions.installed
    if version_tuple(available) < PGVECTOR_MINIMUM:
        yield Error(
            f"The server offers pgvector {available}; {least} or newer is needed.",
            hint="Install a newer pgvector on the server, then ALTER EXTENSION vector UPDATE.",
            id="crmind.E005",
        )
    elif installed and version_tuple(installed) < PGVECTOR_MINIMUM:
        yield Error(
            f"The database uses pgvector {installed}; {least} or newer is needed.",
            hint="Run ALTER EXTENSION vector UPDATE in this database.",
            id="crmind.E006",
        )


@register(Tags.database)
@database_check
def check_extensions(connection: BaseDatabaseWrapper) -> Iterator[CheckMessage]:
    """Refuse a server without the contributed extensions that search uses."""
    yield from extension_faults(extension_versions(connection, EXTENSIONS))


def extension_faults(offered: Collection[str]) -> Iterator[CheckMessage]:
    for name in EXTENSIONS:
        if name not in offered:
            yield Error(
                f"The server does not offer the extension {name}.",
                hint="Install PostgreSQL's contrib package on the server.",
                id="crmind.E007",
            )


@register(Tags.database)
@database_check
def check_durability(connection: BaseDatabaseWrapper) -> Iterator[CheckMessage]:
    """Warn when a commit may not survive a crash."""
    statement = "select name from pg_settings where name = any(%s) and setting = 'off'"
    for (name,) in select(connection, statement, [list(DURABILITY)]):
        yield CheckWarning(
            f"The server runs with {name} off: a crash can lose or damage what was stored.",
            hint=f"Set {name} = on in postgresql.conf.",
            id="crmind.W001",
        )


@register(Tags.database)
@database_check
def check_encoding(connection: BaseDatabaseWrapper) -> Iterator[CheckMessage]:
    """Refuse an encoding that cannot hold every text; warn where words are split wrongly."""
    statement = """
        select pg_encoding_to_char(encoding), datctype
        from pg_database
        where datname = current_database()
    """
    [(encoding, character_type)] = select(connection, statement)
    yield from encoding_faults(encoding, character_type)


def encoding_faults(encoding: str, character_type: str) -> Iterator[CheckMessage]:
    if encoding != "UTF8":
        yield Error(
            f"The database is encoded in {encoding}; UTF8 is needed.",
            hint="Create it anew: CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0.",
            id="crmind.E008",
        )
    elif character_type in {"C", "POSIX"}:
        yield CheckWarning(
            f"The database's character type is {character_type}: search takes dashes and quotation"
            " marks beyond ASCII for letters, and so misses words.",
            hint="Create it anew: CREATE DATABASE ... LC_CTYPE 'C.UTF-8' TEMPLATE template0.",
            id="crmind.W002",
        )


@register()
def check_queue(**_options: Any) -> list[CheckMessage]:
    """Refuse a queue that would start a task again while it still runs."""
    queue = settings.Q_CLUSTER
    timeout, retry = queue.get("timeout"), queue.get("retry", 60)
    if timeout is not None and retry > timeout:
        return []
    limit = "no timeout" if timeout is None else f"timeout = {timeout} s"
    return [
        Error(
            f"The queue has {limit} and retry = {retry} s: longer tasks would run twice at once.",
            hint="Set QUEUE_RETRY_SECONDS above QUEUE_TIMEOUT_SECONDS.",
            id="crmind.E009",
        )
    ]


def extension_versions(
    connection: BaseDatabaseWrapper, names: Sequence[str]
) -> dict[str, ExtensionVersions]:
    """Return the versions of those extensions that the server offers."""
    statement = """
        select name, default_version, installed_version
        from pg_available_extensions
        where name = any(%s)
    """
    rows = select(connection, statement, [list(names)])
    return {
        name: ExtensionVersions(available=available, installed=installed)
        for name, available, installed in rows
    }


def version_tuple(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def select(
    connection: BaseDatabaseWrapper, statement: str, parameters: Sequence[Any] = ()
) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
