"""Stores a version of the document that swaps are tried with."""

from django.db import connection
from django.utils import timezone

from knowledge.embedding.hashing import HashingEmbedder, RegexTokenizer
from knowledge.ingestion.types import ParsedDocument
from knowledge.models import Document, Source
from knowledge.services import store_document


def store_version(text, death):
    """Store it, dying as told; how many died of it before does not count here."""
    Document.objects.update(attempts=0, claimed_hash="")
    source = Source.objects.select_related("source_type").get(name="shelf")
    with connection.execute_wrapper(death):
        store_document(
            source=source,
            parsed=ParsedDocument(external_id="hours.md", text=text),
            embedder=HashingEmbedder(),
            tokenizer=RegexTokenizer(),
            now=timezone.now(),
        )
    connection.close()
