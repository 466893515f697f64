"""What would happen to answers, told before it is done."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Count, Sum

from knowledge.models import Document, DocumentStatus
from knowledge.services import count_citing_answers

RETURNS = "Nothing is deleted: “Bring back” searches everything again at once."
PAUSED_MEANS = (
    "Nothing new comes in by its schedule until it is resumed. What is indexed keeps answering."
)


def describe_retiring(sources: Iterable[Any]) -> str:
    """Return what stops answering when the sources are retired."""
    keys = [source.pk for source in sources]
    answering: Any = Document.objects.filter(
        source__in=keys, source__enabled=True, chunk_count__gt=0
    ).exclude(status=DocumentStatus.RETIRED)
    found = answering.aggregate(documents=Count("*"), passages=Sum("chunk_count", default=0))
    documents = _count(found["documents"], "document")
    return (
        f"{documents} with {_count(found['passages'], 'passage')} will no longer be"
        f" searched, and {_count(count_citing_answers(keys), 'cached answer')} citing them will be"
        f" withdrawn. {RETURNS}"
    )


def describe_forgetting(sources: Iterable[Any]) -> str:
    """Return what is forgotten with the answers that cite the sources."""
    count = count_citing_answers([source.pk for source in sources])
    return (
        f"{_count(count, 'cached answer')} will not be served again and their text is deleted. The"
        " next time somebody asks, the assistant looks up the evidence and answers anew. This"
        " cannot be taken back."
    )


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
