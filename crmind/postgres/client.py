"""The shell of the embedded server: its own psql."""

from collections.abc import Iterable
from typing import Any

from django.db.backends.postgresql import client

from crmind.postgres.programs import installed_directory


class DatabaseClient(client.DatabaseClient):
    def runshell(self, parameters: Iterable[str]) -> None:
        # Opening a connection starts the server and makes the database, should either be missing.
        self.connection.ensure_connection()
        super().runshell(parameters)

    @classmethod
    def settings_to_cmd_args_env(
        cls, settings_dict: dict[str, Any], parameters: Iterable[str]
    ) -> tuple[list[str], dict[str, str] | None]:
        arguments, environment = super().settings_to_cmd_args_env(settings_dict, parameters)
        return [str(installed_directory() / "psql"), *arguments[1:]], environment
