"""What servers said of the pages of a source."""

from typing import Any, ClassVar

from django.db import models

from knowledge.models.source import Source


class PageVersion(models.Model):
    """The version of a page that was read last: with it a server is asked only for a newer one."""

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="+")
    url = models.CharField(max_length=2000)
    external_id = models.CharField(max_length=1000, help_text="The document made of it.")
    etag = models.CharField(max_length=500, blank=True)
    last_modified = models.CharField(max_length=500, blank=True)
    listed_change = models.CharField(
        max_length=100, blank=True, help_text="When it changed, as the sitemap or feed has it."
    )
    read_at = models.DateTimeField()

    objects: ClassVar[models.Manager[Any]] = models.Manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["source", "url"], name="pageversion_url_unique")
        ]

    def __str__(self) -> str:
        return self.url
