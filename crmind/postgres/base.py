"""Django database backend: PostgreSQL, on a server that starts with the first connection.

`DATABASES = {"default": {"ENGINE": "crmind.postgres", "NAME": "crmind"}}` and
`CRMIND_POSTGRES_DIR`, the directory of the server's files. HOST, PORT and USER are filled in.
"""

import atexit
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connections
from django.db.backends.postgresql import base
from django.utils.asyncio import async_unsafe

from crmind.postgres import server
from crmind.postgres.client import DatabaseClient


class DatabaseWrapper(base.DatabaseWrapper):
    client_class = DatabaseClient
    # Parts of Django's class that its type stubs leave out.
    Database: Any
    pool: Any
    close_pool: Callable[[], None]

    @property
    def directory(self) -> Path:
        return Path(settings.CRMIND_POSTGRES_DIR)

    def get_connection_params(self) -> dict[str, Any]:
        database = self.settings_dict["NAME"] or ""
        address = server.ensure_running(self.directory, database=database)
        # In the settings too, where the database shell looks.
        self.settings_dict.update(HOST=address.host, PORT=address.port, USER=address.user)
        parameters: dict[str, Any] = super().get_connection_params()
        return parameters

    @async_unsafe
    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Connect; a server that was killed is started again, one that recovers is waited for."""
        if self.pool:
            self.prepare_pool()
        try:
            return super().get_new_connection(conn_params)
        except self.Database.OperationalError:
            self.recover()
        return super().get_new_connection(conn_params)

    def prepare_pool(self) -> None:
        """Let a pool, which only retries, find a server; and leave before the server goes."""
        if not server.accepts_connections(self.directory):
            self.recover()
        atexit.unregister(close_pools)
        atexit.register(close_pools, os.getpid())

    def recover(self) -> None:
        server.recover(self.directory, database=self.settings_dict["NAME"] or "")


def close_pools(owner_pid: int) -> None:
    """Close the pools of this process; a forked child leaves those of its parent alone."""
    if os.getpid() == owner_pid:
        for connection in connections.all(initialized_only=True):
            if isinstance(connection, DatabaseWrapper):
                connection.close()
                connection.close_pool()
