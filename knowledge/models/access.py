"""Who may read and write over the API."""

from typing import ClassVar

from django.db import models
from rest_framework_api_key.models import AbstractAPIKey

from knowledge.history import CuratedRecords
from knowledge.models.fields import EVERYONE, access_tags_field, has_access_tags

__all__ = ["EVERYONE", "ApiKey"]


class ApiKey(AbstractAPIKey):
    """A client of the API; only a hash of its secret is kept."""

    access_tags = access_tags_field()
    can_write = models.BooleanField(
        default=False,
        help_text="May push, replace and delete documents, sources and entities.",
    )

    history = CuratedRecords(without=("hashed_key", "created"))

    class Meta(AbstractAPIKey.Meta):
        verbose_name = "API key"
        verbose_name_plural = "API keys"
        constraints: ClassVar = [has_access_tags("apikey_has_access_tags")]

    @property
    def readable_tags(self) -> frozenset[str]:
        """The tags whose documents this client may read."""
        return frozenset(self.access_tags) | {EVERYONE}
