"""The shell of the embedded server: its own psql."""

from typing import Any

from django.db.backends.postgresql import client

from crmind.postgres.programs import installed_directory


class DatabaseClient(client.DatabaseClient):
    def runshell(self, parameters: list[str]) -> None:
        self.connection.settings_dict = self.connection.with_server_address()
        super().runshell(parameters)

    @classmethod
    def settings_to_cmd_args_env(
        cls, settings_dict: dict[str, Any], parameters: list[str]
    ) -> tuple[list[str], dict[str, str] | None]:
        arguments, environment = super().settings_to_cmd_args_env(settings_dict, parameters)
        return [str(installed_directory() / "psql"), *arguments[1:]], environment
