"""Configuration of the cachemgr app."""

from django.apps import AppConfig


class CachemgrConfig(AppConfig):
    """Registers the app."""

    name = "cachemgr"
