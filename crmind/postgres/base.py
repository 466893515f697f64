"""Django database backend: PostgreSQL, on a server that starts with the first connection.

`DATABASES = {"default": {"ENGINE": "crmind.postgres", "NAME": "crmind", "DIRECTORY": path}}`:
DIRECTORY holds the server's files; HOST, PORT, USER and PASSWORD are filled in.
"""

import atexit
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db import connections
from django.db.backends.postgresql import base
from django.utils.asyncio import async_unsafe

from crmind.postgres import server
from crmind.postgres.client import DatabaseClient


class DatabaseWrapper(base.DatabaseWrapper):
    client_class = DatabaseClient

    @property
    def directory(self) -> Path:
        directory = self.settings_dict.get("DIRECTORY")
        if not directory:
            message = 'DATABASES: "crmind.postgres" needs DIRECTORY, where the server keeps files.'
            raise ImproperlyConfigured(message)
        return Path(directory)

    def with_server_address(self) -> dict[str, Any]:
        """Return the connection's settings with the address of the running server."""
        database = self.settings_dict["NAME"] or ""
        address = server.ensure_running(self.directory, database=database)
        # Registered after the server's own, and so called before it.
        atexit.unregister(close_connections)
        atexit.register(close_connections)
        return {
            **self.settings_dict,
            "HOST": address.host,
            "PORT": address.port,
            "USER": address.user,
        }

    def get_connection_params(self) -> dict[str, Any]:
        completed = self.with_server_address()
        parameters: dict[str, Any] = super().get_connection_params()
        return {
            **parameters,
            "host": completed["HOST"],
            "port": completed["PORT"],
            "user": completed["USER"],
        }

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
