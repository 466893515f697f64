"""What the page of a cached answer shows: the answer, its evidence and its scope in words."""

from collections.abc import Iterable, Iterator
from typing import Any

from cachemgr.models import CachedResponse
from knowledge.models import Chunk, Document, Entity, Source, SourceType


def describe_response(response: CachedResponse) -> dict[str, Any]:
    """Return question, answer, citations and scope."""
    return {
        "question": response.question,
        "answer": response.answer,
        "citations": _citations(response),
        "scope": list(_scope(response.scope)),
    }


def _citations(response: CachedResponse) -> list[dict[str, Any]]:
    citations = list(
        response.citations.values("number", "chunk_id", "document_id", "content_hash", "trust")
    )
    documents = Document.objects.in_bulk([citation["document_id"] for citation in citations])
    keys = [citation["chunk_id"] for citation in citations]
    chunks = Chunk.objects.only("content_hash", "is_switched_off", "is_active").in_bulk(keys)
    return [
        {
            **citation,
            "document": documents.get(citation["document_id"]),
            "chunk": chunks.get(citation["chunk_id"]),
            "state": _state(chunks.get(citation["chunk_id"]), citation["content_hash"]),
        }
        for citation in citations
    ]


def _state(chunk: Chunk | None, then: str) -> str:
    if chunk is None:
        return "gone"
    if chunk.is_switched_off:
        return "switched off"
    if not chunk.is_active:
        return "no longer searched"
    return "unchanged" if chunk.content_hash == then else "changed since"


def _scope(scope: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "Readers", _listed(scope.get("access_tags", []))
    yield "About", _names(Entity, "name", scope.get("entity_ids"))
    yield "Sources", _names(Source, "name", scope.get("source_ids"))
    yield "Kinds of source", _names(SourceType, "label", scope.get("source_type_ids"))
    for label, key in (
        ("Published from", "since"),
        ("Published before", "until"),
        ("As if it were", "as_of"),
        ("Holds for the day", "asked_on"),
        ("Ranking profile", "profile"),
        ("Language", "language"),
        ("Chat model", "chat_model"),
        ("Conversation", "conversation_id"),
    ):
        if scope.get(key):
            yield label, str(scope[key])


def _names(model: Any, field: str, keys: Iterable[Any] | None) -> str:
    if not keys:
        return "any"
    return _listed(model.objects.filter(pk__in=keys).values_list(field, flat=True))


def _listed(names: Iterable[Any]) -> str:
    return ", ".join(sorted(map(str, names)))
