"""Answers "why not this document?": where it stands for a question, or what kept it out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from knowledge.embedding.base import Embedder
from knowledge.embedding.registry import get_query_embedder
from knowledge.exceptions import UnknownDocumentError
from knowledge.models import Chunk, Document, DocumentStatus
from retrieval.conf import retrieval_settings
from retrieval.explain import explain_receipt
from retrieval.pipeline import answer
from retrieval.query.parse import SearchRequest, build_query
from retrieval.ranking.profile import Profile
from retrieval.search.keyword import read_terms, score_by_keyword
from retrieval.search.meaning import embed_question
from retrieval.search.session import search_session
from retrieval.search.vector import score_by_vector
from retrieval.services import get_profile
from retrieval.types import Filters, Hit, Query


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedDocument:
    """A document by its id, or by its external id within a source; one of the two is enough.

    The external id may come without the source where it is the only one.
    """

    document_id: int | None = None
    source: str = ""
    external_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyNot:
    """Where a document stands for a question: its place, if it has one, and reasons in words.

    `similarity` and `keyword_score` are the best of its passages, found by the arm or not; None
    where they cannot be told.
    """

    document_id: int
    external_id: str
    title: str
    source_name: str
    rank: int | None
    top_k: int
    keyword_score: float | None
    similarity: float | None
    reasons: tuple[str, ...]


def why_not(  # noqa: PLR0913 # as for a search, and the document
    request: SearchRequest,
    wanted: WantedDocument,
    *,
    reader_tags: frozenset[str],
    now: datetime,
    knows_all: bool = False,
    embedder: Embedder | None = None,
    profile: Profile | None = None,
) -> WhyNot:
    """Tell where a document stands for a question, or what kept it out.

    Raises the errors of a search, and UnknownDocumentError; a document that the reader may not see
    is unknown too, unless the one who asks knows of all documents.
    """
    query = build_query(request, reader_tags=reader_tags, now=now)
    document = _find(wanted, tags=None if knows_all else reader_tags)
    ranking = profile or get_profile(request.profile)
    chosen_embedder = embedder or get_query_embedder()
    passages = _passages(document)
    obstacles = _obstacles(document, passages, query.filters)
    everything = replace(query, top_k=ranking.keyword_depth + ranking.vector_depth)
    ranked = answer(everything, profile=ranking, embedder=chosen_embedder).hits
    place = None if obstacles else _place(ranked, document.pk)
    score, similarity = _scores(query, passages, profile=ranking, embedder=chosen_embedder)
    return WhyNot(
        document_id=document.pk,
        external_id=document.external_id,
        title=document.title,
        source_name=document.source.name,
        rank=place.rank if place else None,
        top_k=query.top_k,
        keyword_score=score,
        similarity=similarity,
        reasons=(
            *obstacles,
            *(_standing(place, document.pk, top_k=query.top_k) if place else ()),
            *(() if obstacles or place else _beyond(ranking, score, similarity)),
        ),
    )


def _find(wanted: WantedDocument, *, tags: frozenset[str] | None) -> Document:
    readable = Document.objects.select_related("source")
    if tags is not None:
        readable = readable.readable_with(tags)
    if wanted.document_id is not None:
        chosen = readable.filter(pk=wanted.document_id)
    else:
        chosen = readable.filter(external_id=wanted.external_id)
        if wanted.source:
            chosen = chosen.filter(source__name__iexact=wanted.source)
    found: list[Document] = list(chosen.order_by("pk")[:2])
    if not found:
        raise UnknownDocumentError(field="document")
    if len(found) > 1:
        message = f"Several sources have a document {wanted.external_id!r}; name the source too."
        raise UnknownDocumentError(message, field="source")
    return found[0]


def _passages(document: Document) -> list[Chunk]:
    columns = ("id", "is_active", "is_switched_off", "access_tags", "entity_ids", "published_at")
    return list(Chunk.objects.filter(document=document).only(*columns).order_by("position"))


def _obstacles(document: Document, passages: Sequence[Chunk], filters: Filters) -> list[str]:
    """Return what keeps the document out of this search altogether."""
    if not any(passage.is_active for passage in passages):
        return [_inactive(document, passages)]
    return [*_unreadable(document, filters), *_filtered_out(document, passages, filters)]


def _inactive(document: Document, passages: Sequence[Chunk]) -> str:
    status = DocumentStatus(document.status)
    if not document.source.enabled:
        return f"It is not searched: its source {document.source.name} is switched off."
    if passages and all(passage.is_switched_off for passage in passages):
        return "It is not searched: a curator switched all its passages off."
    if status is DocumentStatus.READY:
        return "It is not searched: it holds no passage."
    reason = f" ({document.status_reason})" if document.status_reason else ""
    return f"It is not searched: its state is {str(status.label).lower()}{reason}."


def _unreadable(document: Document, filters: Filters) -> list[str]:
    if filters.access_tags & set(document.access_tags):
        return []
    needed, held = _listed(document.access_tags), _listed(filters.access_tags)
    return [f"This reader may not see it: it is for {needed}, and the reader has {held}."]


def _filtered_out(document: Document, passages: Sequence[Chunk], filters: Filters) -> list[str]:
    kept = passages[0]
    date = kept.published_at
    when = f"it is dated {date:%Y-%m-%d %H:%M}" if date else "it has no date"
    is_early = filters.since is not None and (date is None or date < filters.since)
    is_late = filters.until is not None and (date is None or date >= filters.until)
    is_ahead = filters.known_by is not None and date is not None and date > filters.known_by
    checks: list[tuple[Any, str]] = [
        (
            filters.entity_ids and not set(filters.entity_ids) & set(kept.entity_ids),
            "Filtered out: it is not about the entity asked for.",
        ),
        (
            filters.source_ids and document.source_id not in filters.source_ids,
            f"Filtered out: it is of the source {document.source.name}, not of those asked for.",
        ),
        (
            filters.source_type_ids and document.source_type_id not in filters.source_type_ids,
            "Filtered out: it is of another kind of source than asked for.",
        ),
        (is_early, f"Filtered out: {when}, and only later documents are asked for."),
        (is_late, f"Filtered out: {when}, and only earlier documents are asked for."),
        (is_ahead, f"It did not exist yet: {when}, later than the time asked about."),
    ]
    return [reason for applies, reason in checks if applies]


def _place(ranked: Iterable[Hit], document_id: int) -> Hit | None:
    """Return the best hit that is of the document, or that stands for a copy of it."""
    for hit in ranked:
        copies = (copy.document_id for copy in hit.duplicates)
        if document_id in (hit.evidence.document_id, *copies):
            return hit
    return None


def _standing(place: Hit, document_id: int, *, top_k: int) -> list[str]:
    shown = "among those shown" if place.rank <= top_k else f"beyond the {top_k} shown"
    if place.evidence.document_id != document_id:
        title = place.evidence.title or place.evidence.external_id
        copied = f"It says the same as {title}, which stands for both at place {place.rank}"
        return [f"{copied}, {shown}."]
    return [f"It stands at place {place.rank}, {shown}.", *explain_receipt(place.receipt)]


def _beyond(profile: Profile, score: float | None, similarity: float | None) -> list[str]:
    reasons = []
    if profile.keyword_weight > 0:
        measured = "it holds none of them" if score is None else f"its score is {score:.3f}"
        reasons.append(f"By words it is not among the best {profile.keyword_depth}: {measured}.")
    if profile.vector_weight > 0:
        told = (
            "it was not compared" if similarity is None else f"its similarity is {similarity:.3f}"
        )
        reasons.append(f"By meaning it is not among the best {profile.vector_depth}: {told}.")
    return reasons


def _scores(
    query: Query, passages: Sequence[Chunk], *, profile: Profile, embedder: Embedder
) -> tuple[float | None, float | None]:
    """Return the best keyword score and the best similarity of the passages."""
    chunk_ids = [passage.pk for passage in passages if passage.is_active]
    meaning = embed_question(query.spelt_topic, embedder=embedder)
    with search_session(retrieval_settings(), depth=1):
        questions = read_terms(
            query.topic,
            expansions=query.understanding.expansions,
            expansion_weight=profile.synonym_weight,
            reads_identifiers=query.understanding.reads_identifiers,
        )
        scores = score_by_keyword(questions, chunk_ids)
        similarities: dict[int, float] = {}
        if meaning.vector is not None and meaning.space_id is not None:
            similarities = score_by_vector(meaning.vector, chunk_ids, space_id=meaning.space_id)
    return max(scores.values(), default=None), max(similarities.values(), default=None)


def _listed(tags: Iterable[str]) -> str:
    return ", ".join(sorted(tags))
