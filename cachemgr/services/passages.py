"""Reads the passages that cached answers cite, as they are now."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any
from uuid import UUID

from cachemgr.models import CachedCitation
from knowledge.models import Chunk
from retrieval.types import Citation


def read_citations(response_ids: Iterable[UUID]) -> dict[UUID, tuple[Citation, ...]]:
    """Return the citations of each answer by number; passages that are gone are left out."""
    cited = list(
        CachedCitation.objects.filter(response_id__in=list(response_ids)).order_by(
            "response_id", "number", "id"
        )
    )
    chunks = Chunk.objects.select_related("document__source_type", "source__source_type").in_bulk(
        {citation.chunk_id for citation in cited}
    )
    found: dict[UUID, tuple[Citation, ...]] = {}
    for (response_id, number), rows in groupby(cited, key=attrgetter("response_id", "number")):
        passages = [chunks[row.chunk_id] for row in rows if row.chunk_id in chunks]
        if passages:
            citation = _citation(number, sorted(passages, key=attrgetter("position")))
            found[response_id] = (*found.get(response_id, ()), citation)
    return found


def _citation(number: int, passages: Sequence[Any]) -> Citation:
    document = passages[0].document
    source = passages[0].source
    source_type = document.source_type or source.source_type
    return Citation(
        number=number,
        chunk_ids=tuple(passage.pk for passage in passages),
        document_id=document.pk,
        title=document.title,
        url=document.url,
        source_name=source.name,
        source_type=source_type.slug,
        published_at=document.published_at,
        trust=min(source.trust, 1.0 if document.trust is None else document.trust),
        start=passages[0].start,
        end=max(passage.end for passage in passages),
        text=_running_text(passages),
    )


def _running_text(passages: Sequence[Any]) -> str:
    """Return neighbouring passages as one text: what they share stands once."""
    first = passages[0]
    parts = [first.prefix, "\n"] if first.prefix else []
    end = first.start
    for passage in passages:
        if passage.start > end:
            parts.append("\n")
        parts.append(passage.text[max(end - passage.start, 0) :])
        end = max(end, passage.end)
    return "".join(parts)
