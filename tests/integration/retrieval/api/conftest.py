"""Clients of the API."""

from tests.integration.knowledge.api.conftest import client_with

__all__ = ["client_with"]
