"""Django database backend: PostgreSQL, on a server that starts with the first connection.

`DATABASES = {"default": {"ENGINE": "crmind.postgres", "NAME": "crmind"}}` and
`CRMIND_POSTGRES_DIR`, the directory of the server's files. HOST, PORT and USER are filled in.
"""

import atexit
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
        # Registered after the server's own, and so called before it.
        atexit.unregister(close_connections)
        atexit.register(close_connections)
        # In the settings too, where the database shell looks.
        self.settings_dict.update(HOST=address.host, PORT=address.port, USER=address.user)
        parameters: dict[str, Any] = super().get_connection_params()
        return parameters

    @async_unsafe
    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Connect; a server that was killed is started again, one that recovers is waited for."""
        if self.pool and not server.accepts_connections(self.directory):
            self.recover()
        try:
            return super().get_new_connection(conn_params)
        except self.Database.OperationalError:
            self.recover()
        return super().get_new_connection(conn_params)

    def recover(self) -> None:
        server.recover(self.directory, database=self.settings_dict["NAME"] or "")


def close_connections() -> None:
    """Leave before the server goes, so that no pool tries to connect again."""
    for connection in connections.all(initialized_only=True):
        if isinstance(connection, DatabaseWrapper):
            connection.close()
            connection.close_pool()
