"""Takes the documents of an evaluation set in, by the product's own ingestion."""

from collections import defaultdict
from collections.abc import Callable
from datetime import datetime

from knowledge.embedding.base import Embedder, Tokenizer
from knowledge.ingestion.types import ParsedDocument
from knowledge.models import SourceType
from knowledge.services import (
    ensure_entity,
    ensure_source,
    refresh_term_statistics,
    store_documents,
)
from retrieval.evaluation.datasets import CorpusDocument, Dataset
from retrieval.exceptions import DatasetError


def load_corpus(
    dataset: Dataset,
    *,
    embedder: Embedder,
    tokenizer: Tokenizer,
    now: datetime,
    advance: Callable[[int], None],
) -> None:
    """Store every document with its entities; `advance` hears of each. Raises DatasetError."""
    _add_entities(dataset)
    types = set(SourceType.objects.values_list("slug", flat=True))
    by_source: dict[tuple[str, str], list[CorpusDocument]] = defaultdict(list)
    for document in dataset.documents:
        type_slug = document.source_type if document.source_type in types else ""
        by_source[document.source or dataset.name, type_slug].append(document)
    for (name, type_slug), documents in by_source.items():
        source = ensure_source(name=name, type_slug=type_slug)
        own_type = "" if source.source_type.slug == type_slug else type_slug
        stored = store_documents(
            source=source,
            parsed=(_parsed(document, source_type=own_type) for document in documents),
            embedder=embedder,
            tokenizer=tokenizer,
            now=now,
        )
        for outcome in stored:
            if outcome.document_id is None:
                message = f"Document {outcome.external_id!r} was not stored: {outcome.reason}"
                raise DatasetError(message)
            advance(1)
    refresh_term_statistics(force=True)


def _add_entities(dataset: Dataset) -> None:
    mentions = {mention for document in dataset.documents for mention in document.entities}
    mentions.update(dataset.entities)
    for mention in sorted(mentions, key=lambda mention: (mention.kind, mention.external_id)):
        ensure_entity(name=mention.name, kind=mention.kind, external_id=mention.external_id)


def _parsed(document: CorpusDocument, *, source_type: str) -> ParsedDocument:
    return ParsedDocument(
        external_id=document.document_id,
        text=document.text,
        title=document.title,
        url=document.url,
        source_type=source_type,
        published_at=document.published_at,
        entities=tuple(mention.external_id for mention in document.entities),
        # Sets are compared over time: what each document is about is what the set says.
        reads_entities=False,
    )
