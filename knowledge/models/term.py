"""How often words occur, for the weights of the keyword arm."""

from django.db import models


class TermStatistic(models.Model):
    """In how many chunks of a text search configuration a lexeme occurs (estimated if sampled)."""

    language = models.CharField(max_length=63)
    lexeme = models.TextField()
    document_frequency = models.PositiveIntegerField()
    repeated_frequency = models.PositiveIntegerField(
        default=0, help_text="In how many of them it occurs more than once (estimated)."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["lexeme", "language"], name="termstatistic_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.lexeme}: {self.document_frequency}"


class CorpusStatistic(models.Model):
    """Size of the corpus of a text search configuration when its terms were last counted."""

    language = models.CharField(max_length=63, unique=True)
    chunk_count = models.PositiveIntegerField()
    sampled_fraction = models.FloatField(help_text="Share of the chunks that was counted, 0 to 1.")
    changes_since = models.PositiveIntegerField(
        default=0, help_text="Chunks written or removed since."
    )
    refreshed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="corpusstatistic_fraction_0_1",
                condition=models.Q(sampled_fraction__gt=0, sampled_fraction__lte=1),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.language}: {self.chunk_count} chunks"
