"""A database of its own for an evaluation, gone when it ends."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management import call_command
from django.db import ProgrammingError, connection

from knowledge.seed import seed_source_types
from retrieval.exceptions import DatasetError
from retrieval.seed import seed_profiles

PREFIX = "crmind_eval_"


@contextmanager
def scratch_database() -> Iterator[str]:
    """Point the default connection at a new, migrated and seeded database; drop it at the end.

    Yields its name. Raises DatasetError when the database server does not allow it.
    """
    own = connection.settings_dict["NAME"]
    name = f"{PREFIX}{os.getpid()}_{secrets.token_hex(4)}"
    try:
        _execute(f"CREATE DATABASE {connection.ops.quote_name(name)}")
    except ProgrammingError as error:
        message = f"The evaluation needs a database of its own, but {str(error).strip()}."
        raise DatasetError(message) from error
    try:
        _connect_to(name)
        call_command("migrate", verbosity=0, interactive=False)
        seed_source_types()
        seed_profiles()
        yield name
    finally:
        _connect_to(own)
        _execute(f"DROP DATABASE IF EXISTS {connection.ops.quote_name(name)} WITH (FORCE)")


def _connect_to(name: str) -> None:
    connection.close()
    connection.settings_dict["NAME"] = name


def _execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)
