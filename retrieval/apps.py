"""Configuration of the retrieval app."""

from django.apps import AppConfig


class RetrievalConfig(AppConfig):
    """Registers the app."""

    name = "retrieval"
    verbose_name = "Ranking and quality"
