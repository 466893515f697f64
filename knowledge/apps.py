"""Configuration of the knowledge app."""

from django.apps import AppConfig


class KnowledgeConfig(AppConfig):
    """Registers the app."""

    name = "knowledge"
