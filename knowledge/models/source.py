"""Where knowledge comes from, and how far it is to be believed."""

from datetime import date
from typing import Any, ClassVar, Self

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models.functions import Lower

from knowledge.history import CuratedRecords
from knowledge.models.fields import (
    access_tags_field,
    has_access_tags,
    unit_interval,
    unit_interval_field,
)


class SourceType(models.Model):
    """A kind of source: how authoritative it is and how fast it ages."""

    slug = models.SlugField(max_length=64, unique=True)
    label = models.CharField(max_length=100)
    authority = unit_interval_field(
        help_text="0 to 1: the weight this kind of source carries before more is known of it."
    )
    half_life_days = models.FloatField(
        validators=[MinValueValidator(0.01)],
        help_text="Days after which a document of this kind counts half as fresh.",
    )
    cache_ttl_days = models.FloatField(
        null=True,
        blank=True,
        validators=[MinValueValidator(0.01)],
        help_text="Days an answer that cites this kind of source may be served from the cache.",
    )

    history = CuratedRecords()

    class Meta:
        ordering = ["label", "id"]
        constraints = [
            unit_interval("sourcetype_authority_0_1", field="authority"),
            models.CheckConstraint(
                name="sourcetype_half_life_positive", condition=models.Q(half_life_days__gt=0)
            ),
        ]

    def __str__(self) -> str:
        return self.label


class Connector(models.TextChoices):
    """How documents of a source come in."""

    FOLDER = "folder", "Files and folders"
    URL = "url", "Web page or sitemap"
    FEED = "feed", "News feed"
    MAILBOX = "mailbox", "Mailbox folder"
    EXPORT = "export", "CSV or JSON lines export"
    PUSH = "push", "Pushed by a program"
    UPLOAD = "upload", "Uploaded by a curator"


class SourceHealth(models.TextChoices):
    """How the last run of a source went."""

    UNKNOWN = "unknown", "Not run yet"
    OK = "ok", "Healthy"
    DEGRADED = "degraded", "Some documents need attention"
    FAILING = "failing", "Failing"


class SourceQuerySet(models.QuerySet["Source"]):
    """Selections of sources."""

    def enabled(self) -> Self:
        """Sources whose documents are searched."""
        return self.filter(enabled=True)

    def overdue(self, *, today: date) -> Self:
        """Sources that answer and whose review-by date has passed."""
        return self.enabled().filter(review_by__lt=today)


class Source(models.Model):
    """An origin of documents that shares trust, access and schedule."""

    name = models.CharField(max_length=200)
    source_type = models.ForeignKey(SourceType, on_delete=models.PROTECT, related_name="sources")
    connector = models.CharField(max_length=16, choices=Connector.choices, default=Connector.FOLDER)
    location = models.CharField(
        max_length=2000, blank=True, help_text="Folder, address or feed the documents come from."
    )
    mapping = models.JSONField(
        default=dict, blank=True, help_text="Which column of an export fills which field."
    )
    trust = unit_interval_field(
        default=0.7, help_text="0 (never believe) to 1 (always believe) what this source says."
    )
    authority_override = unit_interval_field(
        verbose_name="own authority",
        null=True,
        blank=True,
        help_text="0 to 1; empty takes the authority of the source type.",
    )
    enabled = models.BooleanField(
        verbose_name="searched",
        default=True,
        help_text="Documents of a source that is switched off are not searched.",
    )
    is_paused = models.BooleanField(
        verbose_name="paused",
        default=False,
        db_default=False,
        help_text="Its schedule rests; what is indexed keeps answering.",
    )
    language = models.CharField(
        max_length=63, default="english", help_text="Text search configuration of its documents."
    )
    access_tags = access_tags_field()
    refresh_schedule = models.CharField(
        max_length=100, blank=True, help_text="Cron expression in local time; empty: by hand."
    )
    next_check_at = models.DateTimeField(null=True, blank=True, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="owned_sources",
    )
    review_by = models.DateField(null=True, blank=True)
    last_run_at = models.DateTimeField(null=True, blank=True, editable=False)
    health = models.CharField(
        max_length=16, choices=SourceHealth.choices, default=SourceHealth.UNKNOWN, editable=False
    )
    health_reason = models.CharField(max_length=500, blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects: ClassVar[models.Manager[Any]] = SourceQuerySet.as_manager()
    history = CuratedRecords(
        without=(
            "last_run_at",
            "next_check_at",
            "health",
            "health_reason",
            "created_at",
            "updated_at",
        )
    )

    class Meta:
        ordering = ["name", "id"]
        constraints = [
            models.UniqueConstraint(
                Lower("name"),
                name="source_name_unique",
                violation_error_message="There is a source of this name already.",
            ),
            unit_interval("source_trust_0_1", field="trust"),
            unit_interval("source_authority_0_1", field="authority_override"),
            has_access_tags("source_has_access_tags"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def authority(self) -> float:
        """The authority in force: its own, else that of its type."""
        if self.authority_override is not None:
            return float(self.authority_override)
        return float(self.source_type.authority)
