"""What comparisons of the vector index with exact scans found."""

from django.db import models


class IndexCheck(models.Model):
    """One comparison; `recalls` by filter, 0 to 1, `faults` in words, none where all is well."""

    embedding_model = models.CharField(max_length=300)
    floor = models.FloatField()
    recalls = models.JSONField(default=dict)
    faults = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"check of {self.embedding_model}"
