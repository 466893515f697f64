"""The role, database and extensions that the product finds on the embedded server."""

import psycopg
from psycopg import sql

from crmind.postgres.configuration import SUPERUSER, USER
from crmind.postgres.layout import PORT, Layout

TEMPLATE = "template1"
# These need a superuser, which the product's own role is not: every new database inherits them.
EXTENSIONS = ("vector", "pg_prewarm", "pg_stat_statements")


def provision(layout: Layout) -> None:
    """Make the product's role, and the extensions that databases are made with."""
    with connect(layout, TEMPLATE) as connection:
        ensure_role(connection)
        ensure_extensions(connection)


def ensure_database(layout: Layout, name: str) -> None:
    """Make the database when it is missing, and bring its extensions up to date."""
    with connect(layout, TEMPLATE) as connection:
        query = "select 1 from pg_database where datname = %s"
        missing = connection.execute(query, [name]).fetchone() is None
    if missing:
        create_database(layout, name)
    with connect(layout, name) as connection:
        ensure_extensions(connection)


def connect(layout: Layout, database: str) -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.connect(
        host=str(layout.sockets), port=PORT, user=SUPERUSER, dbname=database, autocommit=True
    )


def ensure_role(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    query = "select 1 from pg_roles where rolname = %s"
    if connection.execute(query, [USER]).fetchone() is None:
        role = sql.Identifier(USER)
        connection.execute(sql.SQL("create role {} login createdb").format(role))
        connection.execute(sql.SQL("grant pg_monitor, pg_signal_backend to {}").format(role))


def create_database(layout: Layout, name: str) -> None:
    statement = sql.SQL("create database {} owner {}").format(
        sql.Identifier(name), sql.Identifier(USER)
    )
    with connect(layout, "postgres") as connection:
        connection.execute(statement)


def ensure_extensions(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    """Install what is missing, and update what a newer package brings newer."""
    versions = connection.execute(
        """
        select name, installed_version = default_version
        from pg_available_extensions
        where name = any(%s)
        """,
        [list(EXTENSIONS)],
    ).fetchall()
    for name, up_to_date in versions:
        if not up_to_date:
            extension = sql.Identifier(str(name))
            statement = "create extension {}" if up_to_date is None else "alter extension {} update"
            connection.execute(sql.SQL(statement).format(extension))
