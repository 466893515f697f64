"""What a text is compared with others by."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models

from knowledge.models.document import Document


class DocumentSketch(models.Model):
    """The sketch of the text of a document: equal hashes are the same words."""

    document = models.OneToOneField(
        Document, on_delete=models.CASCADE, primary_key=True, related_name="sketch"
    )
    text_hash = models.CharField(max_length=64)
    signature = ArrayField(models.BigIntegerField(), default=list, blank=True)
    bands = ArrayField(models.BigIntegerField(), default=list, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["text_hash"], name="documentsketch_by_text"),
            GinIndex(fields=["bands"], name="documentsketch_by_band"),
        ]

    def __str__(self) -> str:
        return f"sketch of document {self.document_id}"
