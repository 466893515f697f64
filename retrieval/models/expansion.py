"""What curators teach about words: synonyms and intents."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from knowledge.history import CuratedRecords
from knowledge.models import SourceType


class Synonym(models.Model):
    """Words that mean the same in this company."""

    terms = ArrayField(
        models.CharField(max_length=100),
        help_text="Two or more words or phrases, for example CRM, customer database.",
    )
    is_one_way = models.BooleanField(
        default=False, help_text="Only the first term is expanded to the others."
    )
    enabled = models.BooleanField(default=True)

    history = CuratedRecords()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(name="synonym_two_terms", condition=models.Q(terms__len__gte=2)),
        ]

    def __str__(self) -> str:
        return ", ".join(self.terms)


class Intent(models.Model):
    """What a question is after, told by its words, and which sources answer that best."""

    slug = models.SlugField(max_length=64, unique=True)
    label = models.CharField(max_length=100)
    keywords = ArrayField(models.CharField(max_length=100))
    preferred_types = models.ManyToManyField(SourceType, blank=True, related_name="+")
    avoided_types = models.ManyToManyField(SourceType, blank=True, related_name="+")
    boost = models.FloatField(default=0.05)
    penalty = models.FloatField(default=0.03)
    enabled = models.BooleanField(default=True)

    history = CuratedRecords(relations=("preferred_types", "avoided_types"))

    class Meta:
        ordering = ["label", "id"]
        constraints = [
            models.CheckConstraint(
                name="intent_boost_bounded",
                condition=models.Q(boost__gte=0, boost__lte=0.2, penalty__gte=0, penalty__lte=0.2),
            ),
        ]

    def __str__(self) -> str:
        return self.label
