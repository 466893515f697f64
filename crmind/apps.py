"""The project as an app: its commands, templates and system checks."""

from django.apps import AppConfig


class CRMindConfig(AppConfig):
    name = "crmind"
    label = "crmind"
    verbose_name = "CRMind"

    def ready(self) -> None:
        """Register the system checks."""
        import crmind.checks  # noqa: F401, PLC0415 - registers when imported
