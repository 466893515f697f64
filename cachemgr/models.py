"""Answers that were given before, with the evidence they stand on."""

import uuid
from datetime import datetime
from typing import Any, ClassVar, Self

from django.contrib.postgres.expressions import ArraySubquery
from django.db import models
from django.db.models import Count, Exists, Max, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce, JSONObject, Least
from pgvector.django import VectorField

from knowledge.models import Chunk, EmbeddingSpace, SpaceStatus
from knowledge.models.fields import is_not_zero_vector
from knowledge.models.identity import time_ordered_id


class InvalidationReason(models.TextChoices):
    """Why an answer is no longer served."""

    CONTENT_CHANGED = "content_changed", "A cited passage changed"
    DESCRIBED = "described", "The dates of a cited document, or what it is about, changed"
    RETIRED = "retired", "A cited document was retired or removed"
    SWITCHED_OFF = "switched_off", "A cited passage was switched off"
    SUPERSEDED = "superseded", "A cited document was superseded"
    TRUST_CHANGED = "trust_changed", "The trust of a cited source changed"
    ACCESS_CHANGED = "access_changed", "The readers of a cited document changed"
    NEW_EVIDENCE = "new_evidence", "A new document may answer better"
    FEEDBACK = "feedback", "Somebody said it was wrong"
    FORGOTTEN = "forgotten", "Forgotten by hand"
    REPLACED = "replaced", "A newer answer took its place"
    MODEL_CHANGED = "model_changed", "The embedding model was exchanged"


class CachedResponseQuerySet(models.QuerySet["CachedResponse"]):
    """Selections of cached answers."""

    def servable(self, *, now: datetime) -> Self:
        """Answers neither expired nor invalidated."""
        return self.filter(invalidated_at__isnull=True, expires_at__gt=now)

    def live(self) -> Self:
        """Answers nobody and nothing has taken back; they may have expired."""
        return self.filter(invalidated_at__isnull=True)

    def comparable(self) -> Self:
        """Answers whose questions belong to the space in use."""
        return self.filter(space__status=SpaceStatus.ACTIVE)

    def citing(self, citations: "models.QuerySet[CachedCitation]") -> Self:
        """Answers with one of these citations."""
        return self.filter(pk__in=citations.order_by().values("response_id"))

    def within(self, tags: frozenset[str]) -> Self:
        """Answers made for readers whose every tag is among `tags`."""
        return self.filter(scope__access_tags__contained_by=sorted(tags))

    def standing(self, tags: frozenset[str]) -> Self:
        """Answers of which a reader with `tags` may still read every cited passage, unchanged."""
        return self.filter(~Exists(fallen_citations(tags).filter(response=OuterRef("pk"))))

    def with_passages(self) -> Self:
        """Answers with `passages`, what they cite: in order, as it is now, without what is gone."""
        return self.annotate(passages=ArraySubquery(cited_passages(response=OuterRef("pk"))))

    def with_recent_hits(self) -> Self:
        """Answers with `recent_hits` and `recent_hit_at`: hits that are not added up yet."""
        hits = CacheEvent.objects.filter(response_id=OuterRef("pk")).order_by()
        per_answer = hits.values("response_id")
        return self.annotate(
            recent_hits=Coalesce(Subquery(per_answer.annotate(n=Count("*")).values("n")), 0),
            recent_hit_at=Subquery(per_answer.annotate(last=Max("at")).values("last")),
        )


class CachedResponse(models.Model):
    """A stored answer, served only within its scope and while its evidence stands."""

    id = models.UUIDField(primary_key=True, default=time_ordered_id, editable=False)
    question = models.TextField()
    question_key = models.CharField(max_length=64, help_text="SHA-256 of the normalised question.")
    scope_fingerprint = models.CharField(max_length=64)
    scope = models.JSONField(help_text="Readers, filters, profile and language it was made for.")
    space = models.ForeignKey(EmbeddingSpace, on_delete=models.CASCADE, related_name="+")
    vector = VectorField(
        null=True,
        editable=False,
        help_text="Of the question; without one it is found by its own words only.",
    )
    answer = models.TextField()
    model_name = models.CharField(max_length=200, blank=True)
    answer_tokens = models.PositiveIntegerField(default=0)
    evidence_tokens = models.PositiveIntegerField(
        default=0, help_text="Of the context that the answer was made from."
    )
    evidence_similarity = models.FloatField(
        default=-1.0, help_text="Of the question and the cited passage that is least like it."
    )
    hit_count = models.PositiveIntegerField(default=0, help_text="Hits that were added up.")
    last_hit_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    invalidated_at = models.DateTimeField(null=True, blank=True)
    invalidation_reason = models.CharField(
        max_length=32, choices=InvalidationReason.choices, blank=True
    )

    objects: ClassVar[models.Manager[Any]] = CachedResponseQuerySet.as_manager()

    class Meta:
        verbose_name = "cached answer"
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["scope_fingerprint", "question_key"],
                condition=Q(invalidated_at__isnull=True),
                name="cachedresponse_one_live",
            ),
            models.CheckConstraint(
                name="cachedresponse_expires_later",
                condition=Q(expires_at__gt=models.F("created_at")),
            ),
            models.CheckConstraint(
                name="cachedresponse_answered",
                condition=~Q(answer="") | Q(invalidated_at__isnull=False),
            ),
            models.CheckConstraint(
                name="cachedresponse_invalid_for_a_reason",
                condition=Q(invalidated_at__isnull=True) | ~Q(invalidation_reason=""),
            ),
            is_not_zero_vector("cachedresponse_not_zero"),
        ]
        indexes = [
            models.Index(fields=["-created_at", "-id"], name="cachedresponse_by_date"),
            models.Index(fields=["expires_at"], name="cachedresponse_by_expiry"),
            models.Index(
                fields=["space"],
                condition=Q(vector__isnull=True, invalidated_at__isnull=True),
                name="cachedresponse_unembedded",
            ),
        ]

    def __str__(self) -> str:
        return self.question


class CachedCitation(models.Model):
    """A passage an answer cites, as it was when the answer was stored.

    Neighbouring passages are offered under one number: then several rows share it.
    """

    response = models.ForeignKey(CachedResponse, on_delete=models.CASCADE, related_name="citations")
    number = models.PositiveSmallIntegerField(help_text="The n of [n] in the answer, from 1.")
    chunk = models.ForeignKey(
        Chunk,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="+",
        help_text="The id outlives the chunk, to say what was cited.",
    )
    document_id = models.BigIntegerField()
    source_id = models.BigIntegerField()
    content_hash = models.CharField(max_length=64)
    trust = models.FloatField(help_text="Trust of the document when the answer was stored.")

    class Meta:
        ordering: ClassVar = ["number", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["response", "number", "chunk"], name="cachedcitation_unique"
            ),
        ]
        indexes = [
            models.Index(fields=["chunk"], name="cachedcitation_by_chunk"),
            models.Index(fields=["document_id"], name="cachedcitation_by_document"),
            models.Index(fields=["source_id"], name="cachedcitation_by_source"),
        ]

    def __str__(self) -> str:
        return f"[{self.number}]"


def fallen_citations(tags: frozenset[str]) -> "models.QuerySet[CachedCitation]":
    """Return the citations that a reader with `tags` can no longer check.

    The passage is gone, out of search, changed, closed to the reader, or believed less than when
    the answer was stored.
    """
    upheld = (
        Chunk.objects.searchable()
        .annotate(trust_in_force=Least("source__trust", "document__trust"))
        .filter(
            pk=OuterRef("chunk_id"),
            content_hash=OuterRef("content_hash"),
            access_tags__overlap=sorted(tags),
            trust_in_force__gte=OuterRef("trust"),
        )
    )
    return CachedCitation.objects.filter(~Exists(upheld))


def cited_passages(**limits: Any) -> "models.QuerySet[CachedCitation, Any]":
    """Return the cited chunks that are still there, an object each, by number and position."""
    return (
        CachedCitation.objects.filter(**limits)
        .order_by("number", "chunk__position", "id")
        .values(
            passage=JSONObject(
                number="number",
                chunk_id="chunk_id",
                document_id="chunk__document_id",
                title="chunk__document__title",
                url="chunk__document__url",
                source_name="chunk__source__name",
                source_type="chunk__source_type__slug",
                published_at="chunk__document__published_at",
                trust=Least("chunk__source__trust", "chunk__document__trust"),
                start="chunk__start",
                end="chunk__end",
                prefix="chunk__prefix",
                text="chunk__text",
            )
        )
    )


class StoreKeyQuerySet(models.QuerySet["StoreKey"]):
    """Selections of store keys."""

    def pending(self, *, now: datetime) -> Self:
        """Keys under which an answer may still be stored."""
        return self.filter(used_at__isnull=True, expires_at__gt=now)


class StoreKey(models.Model):
    """Permission to store one answer to one question, with the evidence that was offered."""

    key = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    question = models.TextField()
    question_key = models.CharField(max_length=64)
    scope_fingerprint = models.CharField(max_length=64)
    scope = models.JSONField()
    space = models.ForeignKey(EmbeddingSpace, on_delete=models.CASCADE, related_name="+")
    vector = VectorField(null=True, editable=False)
    evidence = models.JSONField(
        default=list, help_text="Citation number, chunk id and content hash offered."
    )
    evidence_tokens = models.PositiveIntegerField(
        default=0, help_text="Of the context that was offered."
    )
    newcomer_similarity = models.FloatField(
        null=True, help_text="Of the question and the nearest passage that came since."
    )
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[models.Manager[Any]] = StoreKeyQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        indexes = [
            models.Index(fields=["scope_fingerprint", "question_key"], name="storekey_by_question"),
            models.Index(fields=["expires_at"], name="storekey_by_expiry"),
        ]

    def __str__(self) -> str:
        return str(self.key)


class AnswerLease(models.Model):
    """Who is about to answer a question: equal ones wait for that answer until the lease ends."""

    scope_fingerprint = models.CharField(max_length=64)
    question_key = models.CharField(max_length=64)
    holder = models.UUIDField(help_text="The store key of whoever answers.")
    until = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["scope_fingerprint", "question_key"], name="answerlease_one_holder"
            ),
        ]
        indexes = [
            models.Index(fields=["holder"], name="answerlease_by_holder"),
            models.Index(fields=["until"], name="answerlease_by_end"),
        ]

    def __str__(self) -> str:
        return f"{self.holder} until {self.until:%Y-%m-%d %H:%M:%S}"


class CacheEvent(models.Model):
    """One outcome that is not added up yet. Rows are only ever added, so that nobody waits."""

    at = models.DateTimeField()
    day = models.DateField(help_text="In local time.")
    outcome = models.CharField(max_length=32)
    response_id = models.UUIDField(null=True, help_text="The answer that was served.")
    tokens_saved = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(fields=["response_id"], name="cacheevent_by_response"),
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.outcome}"


class CacheStatistic(models.Model):
    """Outcomes of one day, added up: look-ups, verdicts of readers, answers that were refused."""

    day = models.DateField()
    outcome = models.CharField(max_length=32, help_text="exact, semantic, or why it was a miss.")
    count = models.PositiveIntegerField(default=0)
    tokens_saved = models.PositiveBigIntegerField(default=0)

    class Meta:
        ordering = ["-day", "outcome"]
        constraints = [
            models.UniqueConstraint(fields=["day", "outcome"], name="cachestatistic_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.outcome}: {self.count}"
