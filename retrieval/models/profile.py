"""Ranking profiles: every number that decides an order, editable and kept with its history."""

from typing import Any

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q

from knowledge.history import CuratedRecords


class ProfileStatus(models.TextChoices):
    """Whether searches may use a profile."""

    DRAFT = "draft", "Draft"
    PUBLISHED = "published", "Published"


class FusionMethod(models.TextChoices):
    """How the two arms become one list."""

    CONVEX = "convex", "Weighted scores"
    RECIPROCAL_RANK = "rrf", "Reciprocal ranks"


class BlendMethod(models.TextChoices):
    """How relevance meets freshness, trust and authority."""

    CLASSIC = "classic", "Weighted sum"
    BOUNDED = "bounded", "Relevance within bounds"


class ContextOrder(models.TextChoices):
    """In which order the evidence is laid before the language model."""

    RANK = "rank", "Best first"
    EDGES = "edges", "Best at both edges"


def _share(default: float, help_text: str, **options: Any) -> "models.FloatField[Any, Any]":
    return models.FloatField(
        default=default,
        validators=[MinValueValidator(0.0), MaxValueValidator(1.0)],
        help_text=help_text,
        **options,
    )


def _count(default: int, help_text: str, *, least: int = 1, most: int = 1000) -> Any:
    return models.PositiveIntegerField(
        default=default,
        validators=[MinValueValidator(least), MaxValueValidator(most)],
        help_text=help_text,
    )


class RankingProfile(models.Model):
    """A named way to rank."""

    slug = models.SlugField(max_length=64, unique=True)
    label = models.CharField(max_length=100)
    description = models.TextField(blank=True)
    status = models.CharField(
        max_length=16, choices=ProfileStatus.choices, default=ProfileStatus.DRAFT
    )
    is_default = models.BooleanField(default=False)

    fusion = models.CharField(
        max_length=16, choices=FusionMethod.choices, default=FusionMethod.CONVEX
    )
    rrf_k = _count(60, "Constant of reciprocal rank fusion.")
    vector_weight = _share(0.55, "Weight of meaning (vector arm) when the arms are merged.")
    keyword_weight = _share(0.45, "Weight of words (keyword arm) when the arms are merged.")
    vector_depth = _count(100, "Passages taken from the vector arm.")
    keyword_depth = _count(100, "Passages taken from the keyword arm.")
    min_similarity = models.FloatField(
        default=-1.0,
        validators=[MinValueValidator(-1.0), MaxValueValidator(1.0)],
        help_text="Passages less similar than this are left out of the vector arm; -1 keeps all.",
    )
    synonym_weight = _share(
        0.5, "Weight of a synonym beside the word that was asked; 0 looks none up.", db_default=0.5
    )

    blend = models.CharField(
        max_length=16, choices=BlendMethod.choices, default=BlendMethod.BOUNDED
    )
    relevance_weight = _share(0.40, "Weight of relevance in the final score.")
    freshness_weight = _share(0.25, "Weight of freshness in the final score.")
    trust_weight = _share(0.20, "Weight of trust in the final score.")
    authority_weight = _share(0.15, "Weight of authority in the final score.")
    bound = _share(0.5, "Most by which a bounded blend may raise or lower relevance.")
    undated_freshness = _share(0.5, "Freshness of a document without any date.")
    lexical_boost = _share(0.0, "Boost at full overlap of question and passage words.")
    recency_weight = _share(
        0.8, "Share of its score an old passage loses when the question asks for the newest."
    )
    recency_half_life_days = models.FloatField(
        default=30.0,
        validators=[MinValueValidator(0.1), MaxValueValidator(3_650.0)],
        help_text="Days behind the newest that cost half of that.",
    )
    named_source_boost = _share(0.3, "Share of relevance gained by a source the question names.")
    period_boost = _share(0.3, "Share of relevance gained within a period the question names.")

    document_cap = _count(3, "Most passages of one document in a result.")
    source_cap = _count(0, "Most passages of one source; 0 is no limit.", least=0)
    type_cap = _count(0, "Most passages of one source type; 0 is no limit.", least=0)

    answerable_confidence = _share(0.75, "From this confidence on the evidence suffices.")
    weak_confidence = _share(0.5, "Below this confidence nothing found is evidence.")

    context_tokens = _count(3_000, "Budget of the context, in tokens.", least=50, most=100_000)
    context_passages = _count(8, "Most passages in the context.", most=100)
    context_order = models.CharField(
        max_length=16, choices=ContextOrder.choices, default=ContextOrder.RANK
    )

    version = models.PositiveIntegerField(default=1, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    history = CuratedRecords(without=("version", "created_at", "updated_at"))

    class Meta:
        ordering = ["label", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["is_default"], condition=Q(is_default=True), name="profile_one_default"
            ),
            models.CheckConstraint(
                name="profile_default_published",
                condition=Q(is_default=False) | Q(status="published"),
            ),
            models.CheckConstraint(
                name="profile_some_arm", condition=Q(vector_weight__gt=0) | Q(keyword_weight__gt=0)
            ),
            models.CheckConstraint(
                name="profile_relevance_counts", condition=Q(relevance_weight__gt=0)
            ),
            models.CheckConstraint(
                name="profile_confidences_in_order",
                condition=Q(answerable_confidence__gte=F("weak_confidence")),
            ),
        ]

    def __str__(self) -> str:
        return self.label


class RankingProfileVersion(models.Model):
    """The values a profile had before a change."""

    profile = models.ForeignKey(RankingProfile, on_delete=models.CASCADE, related_name="versions")
    version = models.PositiveIntegerField()
    values = models.JSONField()
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-version"]
        constraints = [
            models.UniqueConstraint(fields=["profile", "version"], name="profileversion_unique"),
        ]

    def __str__(self) -> str:
        return f"version {self.version} of profile {self.profile_id}"
