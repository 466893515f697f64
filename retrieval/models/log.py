"""What was asked and how well it could be answered."""

from django.contrib.postgres.fields import ArrayField
from django.db import models


class SearchLog(models.Model):
    """One search; kept for a limited time."""

    question = models.TextField(blank=True, help_text="Empty when the question must not be kept.")
    question_hash = models.CharField(max_length=64)
    interpretation = models.JSONField(default=dict)
    filters = models.JSONField(default=dict)
    profile_slug = models.CharField(max_length=64)
    verdict = models.CharField(max_length=16)
    chunk_ids = ArrayField(models.BigIntegerField(), default=list)
    origin = models.CharField(max_length=16, help_text="api, admin or command")
    timings_ms = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = "question asked"
        verbose_name_plural = "questions asked"
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index(fields=["-created_at", "-id"], name="searchlog_by_date"),
            models.Index(fields=["verdict", "-created_at"], name="searchlog_by_verdict"),
        ]

    def __str__(self) -> str:
        return self.question or self.question_hash
