"""What is known of hosts of the web, and of the lists of pages that they give."""

from typing import Any, ClassVar

from django.db import models

from knowledge.models.source import Source


class ListingVersion(models.Model):
    """A sitemap or feed as it was read last: where the server knows no newer one, this counts."""

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="+")
    url = models.CharField(max_length=2000)
    etag = models.CharField(max_length=500, blank=True)
    last_modified = models.CharField(max_length=500, blank=True)
    packed = models.BinaryField(help_text="What the server sent, packed by zlib.")
    read_at = models.DateTimeField()

    objects: ClassVar[models.Manager[Any]] = models.Manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["source", "url"], name="listingversion_url_unique")
        ]

    def __str__(self) -> str:
        return self.url


class WebHost(models.Model):
    """When a host may be asked again, whichever run asks."""

    host = models.CharField(max_length=300, primary_key=True)
    next_at = models.DateTimeField(help_text="When the next request may go there.")
    alone_until = models.DateTimeField(
        null=True, blank=True, help_text="Until when it asked to be left alone (Retry-After)."
    )

    objects: ClassVar[models.Manager[Any]] = models.Manager()

    def __str__(self) -> str:
        return self.host
