"""Configuration of the knowledge app."""

from django.apps import AppConfig


class KnowledgeConfig(AppConfig):
    """Registers the app."""

    name = "knowledge"

    def ready(self) -> None:
        """Register the system checks."""
        import knowledge.checks  # noqa: F401, PLC0415 # registers when imported
