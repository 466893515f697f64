"""Makes citations of the passages that cached answers cite, as they are now."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any

from retrieval.types import Citation

Passage = Mapping[str, Any]
"""What `cachemgr.models.cited_passages` reads of one chunk."""


def build_citations(passages: Iterable[Passage]) -> tuple[Citation, ...]:
    """Return the citations by number; neighbouring passages share one."""
    return tuple(
        _citation(number, list(group)) for number, group in groupby(passages, itemgetter("number"))
    )


def _citation(number: int, passages: Sequence[Passage]) -> Citation:
    first = passages[0]
    published_at = first["published_at"]
    return Citation(
        number=number,
        chunk_ids=tuple(passage["chunk_id"] for passage in passages),
        document_id=first["document_id"],
        title=first["title"],
        url=first["url"],
        source_name=first["source_name"],
        source_type=first["source_type"],
        published_at=datetime.fromisoformat(published_at) if published_at else None,
        trust=first["trust"],
        start=first["start"],
        end=max(passage["end"] for passage in passages),
        text=_running_text(passages),
    )


def _running_text(passages: Sequence[Passage]) -> str:
    """Return neighbouring passages as one text: what they share stands once."""
    first = passages[0]
    parts = [first["prefix"], "\n"] if first["prefix"] else []
    end = first["start"]
    for passage in passages:
        if passage["start"] > end:
            parts.append("\n")
        parts.append(passage["text"][max(end - passage["start"], 0) :])
        end = max(end, passage["end"])
    return "".join(parts)
