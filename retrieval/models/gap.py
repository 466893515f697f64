"""Questions that the knowledge base answers badly or not at all, grouped by meaning."""

from datetime import datetime, timedelta
from typing import Any, ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Count, Max, Q
from pgvector.django import VectorField

from knowledge.history import CuratedRecords
from knowledge.models import EmbeddingSpace
from knowledge.models.fields import is_not_zero_vector
from retrieval.models.log import SearchLog

WEEK = timedelta(days=7)


def _unnamed(gap: Any) -> str:
    """Name a gap in its history without the question, which must not outlive the log."""
    return f"gap {gap.pk}"


class GapStatus(models.TextChoices):
    """What was decided about a gap."""

    OPEN = "open", "Open"
    ANSWERED = "answered", "Answered"
    IGNORED = "ignored", "Ignored"


class KnowledgeGapQuerySet(models.QuerySet["KnowledgeGap"]):
    """Selections of gaps."""

    def counted(self, *, now: datetime) -> Self:
        """Gaps with how often they were asked: in all, in the last week and in the one before."""
        asked = "questions__search__created_at"
        return self.annotate(
            asked_count=Count("questions"),
            this_week=Count("questions", filter=Q(**{f"{asked}__gt": now - WEEK})),
            week_before=Count(
                "questions",
                filter=Q(**{f"{asked}__gt": now - 2 * WEEK, f"{asked}__lte": now - WEEK}),
            ),
            last_asked_at=Max(asked),
        )


class KnowledgeGap(models.Model):
    """A group of questions of one meaning; `vector` is the mean of their vectors."""

    question = models.TextField(help_text="Its newest wording that is still kept.")
    status = models.CharField(max_length=16, choices=GapStatus.choices, default=GapStatus.OPEN)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="Who sees to it that there is an answer.",
    )
    note = models.TextField(blank=True, max_length=2_000, help_text="What is known or planned.")
    space = models.ForeignKey(EmbeddingSpace, on_delete=models.CASCADE, related_name="+")
    vector = VectorField(editable=False)
    weight = models.PositiveIntegerField(
        default=1, help_text="Different wordings that the vector is the mean of."
    )
    decided_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects: ClassVar[models.Manager[Any]] = KnowledgeGapQuerySet.as_manager()
    history = CuratedRecords(
        without=("question", "space", "vector", "weight", "created_at", "updated_at"),
        by_people_only=True,
        name_of=_unnamed,
    )

    class Meta:
        verbose_name = "knowledge gap"
        ordering = ["-id"]
        constraints = [is_not_zero_vector("knowledgegap_not_zero")]
        indexes = [models.Index(fields=["status", "-id"], name="knowledgegap_by_status")]

    def __str__(self) -> str:
        return self.question


class GapQuestion(models.Model):
    """A search that belongs to a gap; it goes when the log of searches lets it go."""

    search = models.OneToOneField(
        SearchLog, on_delete=models.CASCADE, primary_key=True, related_name="gap_question"
    )
    gap = models.ForeignKey(KnowledgeGap, on_delete=models.CASCADE, related_name="questions")

    class Meta:
        ordering = ["-search_id"]

    def __str__(self) -> str:
        return str(self.search)
