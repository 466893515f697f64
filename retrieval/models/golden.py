"""The golden set: questions with judged answers, and how well profiles did on it."""

from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.indexes import HashIndex
from django.db import models
from django.db.models.functions import Upper

from knowledge.history import CuratedRecords
from knowledge.models import Document, RunStatus
from retrieval.models.profile import RankingProfile

GRADES = {0: "0: not at all", 1: "1: touches it", 2: "2: answers it", 3: "3: answers it fully"}


class GoldenQuestion(models.Model):
    """A question whose right answers are known."""

    text = models.TextField()
    filters = models.JSONField(default=dict, blank=True)
    access_tags = models.JSONField(default=list, blank=True)
    as_of = models.DateTimeField(null=True, blank=True)
    is_answerable = models.BooleanField(default=True)
    expected_answer = models.TextField(blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    history = CuratedRecords(without=("created_by", "created_at"))

    class Meta:
        ordering: ClassVar = ["id"]
        constraints = [
            models.CheckConstraint(name="goldenquestion_asked", condition=~models.Q(text="")),
        ]
        # Questions are looked up by their words in any case; a B-tree holds no long ones.
        indexes: ClassVar = [HashIndex(Upper("text"), name="goldenquestion_by_text")]

    def __str__(self) -> str:
        return self.text


class Judgement(models.Model):
    """How well a document answers a golden question: 0 not at all to 3 perfectly."""

    question = models.ForeignKey(
        GoldenQuestion, on_delete=models.CASCADE, related_name="judgements"
    )
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="judgements")
    grade = models.PositiveSmallIntegerField()
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    history = CuratedRecords(
        without=("created_by", "created_at"),
        name_of=lambda judgement: f"{judgement.question} · {judgement.document}",
    )

    class Meta:
        ordering: ClassVar = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["question", "document"], name="judgement_unique"),
            models.CheckConstraint(name="judgement_grade_0_3", condition=models.Q(grade__lte=3)),
        ]

    def __str__(self) -> str:
        return f"grade {self.grade}"


class EvaluationRun(models.Model):
    """Quality of a profile on a set of questions at one time; measured in the background."""

    dataset = models.CharField(max_length=200)
    profile = models.ForeignKey(
        RankingProfile, on_delete=models.SET_NULL, null=True, related_name="evaluations"
    )
    profile_version = models.PositiveIntegerField()
    status = models.CharField(
        max_length=16,
        choices=RunStatus.choices,
        default=RunStatus.DONE,
        db_default=RunStatus.DONE.value,
    )
    status_reason = models.TextField(blank=True, db_default="")
    expected = models.PositiveIntegerField(null=True, blank=True)
    seen = models.PositiveIntegerField(default=0, db_default=0)
    is_cancel_requested = models.BooleanField(default=False, db_default=False)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    question_count = models.PositiveIntegerField(default=0)
    measures = models.JSONField(
        default=dict, blank=True, help_text="Measure by arm, for example hybrid ndcg@10."
    )
    per_question = models.JSONField(default=dict, blank=True)
    notes = models.JSONField(
        default=list, blank=True, db_default=[], help_text="What could not be measured, and why."
    )
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return f"{self.dataset}, run {self.pk}"
