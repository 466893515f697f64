"""Runs of ingestion and what they met."""

from typing import ClassVar

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


class RunStatus(models.TextChoices):
    """Where a run stands."""

    WAITING = "waiting", "Waiting"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"
    UNCONFIRMED = "unconfirmed", "Needs confirmation"


class IngestionRun(models.Model):
    """One pass over a source or a selection of documents."""

    source = models.ForeignKey(
        Source, on_delete=models.CASCADE, null=True, blank=True, related_name="runs"
    )
    trigger = models.CharField(max_length=16, choices=RunTrigger.choices)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
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
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

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
