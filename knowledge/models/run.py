"""Runs of ingestion and what they met."""

from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar, Self

from django.conf import settings
from django.db import models

from knowledge.models.source import Source


class RunTrigger(models.TextChoices):
    """What started a run."""

    COMMAND = "command", "Command"
    ADMIN = "admin", "Curator"
    API = "api", "Program"
    SCHEDULE = "schedule", "Schedule"
    WEBHOOK = "webhook", "Webhook"


class RunKind(StrEnum):
    """What a run does; `arguments` says with what, so that it can be taken up again."""

    IMPORT = "import"
    UPLOAD = "upload"
    REFRESH = "refresh"
    REINDEX_SOURCE = "reindex_source"
    REINDEX_DOCUMENTS = "reindex_documents"


class RunStatus(models.TextChoices):
    """Where a run stands."""

    WAITING = "waiting", "Waiting"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"
    UNCONFIRMED = "unconfirmed", "Needs confirmation"


class IngestionRunQuerySet(models.QuerySet["IngestionRun"]):
    """Selections of runs."""

    def live(self) -> Self:
        """Runs that are not over."""
        return self.filter(status__in=[RunStatus.WAITING, RunStatus.RUNNING])

    def silent_since(self, moment: datetime) -> Self:
        """Runs that say they run, without a sign of life since then."""
        return self.filter(status=RunStatus.RUNNING, heartbeat_at__lt=moment)

    def due(self, *, now: datetime) -> Self:
        """Waiting runs that a worker may take up now."""
        is_due = models.Q(due_at__isnull=True) | models.Q(due_at__lte=now)
        return self.filter(is_due, status=RunStatus.WAITING).exclude(kind="")


class IngestionRun(models.Model):
    """One pass over a source or a selection of documents."""

    source = models.ForeignKey(
        Source, on_delete=models.CASCADE, null=True, blank=True, related_name="runs"
    )
    trigger = models.CharField(max_length=16, choices=RunTrigger.choices)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    kind = models.CharField(
        max_length=32, blank=True, default="", db_default="", help_text="What it does."
    )
    arguments = models.JSONField(
        default=dict, db_default=models.Value({}, models.JSONField()), blank=True
    )
    retry_of = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="retries"
    )
    status = models.CharField(max_length=16, choices=RunStatus.choices, default=RunStatus.WAITING)
    status_reason = models.TextField(blank=True)
    expected = models.PositiveIntegerField(
        null=True, blank=True, help_text="Documents to look at, once known."
    )
    seen = models.PositiveIntegerField(default=0)
    added = models.PositiveIntegerField(default=0)
    updated = models.PositiveIntegerField(default=0)
    unchanged = models.PositiveIntegerField(default=0)
    removed = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    to_remove = models.PositiveIntegerField(
        default=0, db_default=0, help_text="Documents that wait for a yes to be taken out."
    )
    is_cancel_requested = models.BooleanField(default=False)
    due_at = models.DateTimeField(
        null=True, blank=True, help_text="Not taken up before then; empty means at once."
    )
    queued_at = models.DateTimeField(
        null=True, blank=True, help_text="When it was last handed to the queue."
    )
    setbacks = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="How often it was set back since it last got further."
    )
    progress_mark = models.PositiveIntegerField(
        default=0, db_default=0, help_text="How far it was when it was last set back."
    )
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[models.Manager[Any]] = IngestionRunQuerySet.as_manager()

    class Meta:
        verbose_name = "run"
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(
                name="ingestionrun_failure_has_a_reason",
                condition=~models.Q(status="failed") | ~models.Q(status_reason=""),
            ),
        ]
        indexes = [models.Index(fields=["-created_at", "-id"], name="ingestionrun_by_creation")]

    def __str__(self) -> str:
        return f"run {self.pk}"

    @property
    def is_over(self) -> bool:
        """Whether it came to its end, good or bad."""
        return self.status not in {RunStatus.WAITING, RunStatus.RUNNING}

    @property
    def is_resumable(self) -> bool:
        """Whether a worker may take it up again: it was handed to the queue, not to a person."""
        return bool(self.kind) and self.queued_at is not None


class IngestionLogEntry(models.Model):
    """One line of the log of a run: a document that was not simply taken in."""

    class Level(models.TextChoices):
        """How serious a line is."""

        NOTE = "note", "Note"
        WARNING = "warning", "Warning"
        ERROR = "error", "Error"

    run = models.ForeignKey(IngestionRun, on_delete=models.CASCADE, related_name="log")
    level = models.CharField(max_length=8, choices=Level.choices)
    external_id = models.CharField(max_length=1000, blank=True)
    message = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["id"]
        verbose_name_plural = "ingestion log entries"

    def __str__(self) -> str:
        return self.message
