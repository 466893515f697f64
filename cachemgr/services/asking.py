"""Answers a question from the cache, else lays out the evidence to answer it from."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from cachemgr.conf import cache_settings
from cachemgr.keys import Scope
from cachemgr.reading import counts_from_today
from cachemgr.services.lookup import embed_question, look_up, skip_lookup
from cachemgr.services.offers import offer
from cachemgr.types import CacheUse, Lookup, MissReason, OfferedPassage
from knowledge.embedding.base import Embedder
from knowledge.services.spaces import find_active_space, is_space_of
from retrieval.pipeline import build_context, search
from retrieval.query.parse import SearchRequest, build_query
from retrieval.ranking.profile import Profile
from retrieval.services import get_profile
from retrieval.types import Context, Query, SearchResult


@dataclass(frozen=True, slots=True, kw_only=True)
class AskRequest:
    """A question as a caller asks it.

    `language` is what the answer shall be written in. `similarity_threshold` makes a semantic hit
    harder, never easier.
    """

    search: SearchRequest
    conversation_id: str = ""
    chat_model: str = ""
    language: str = ""
    cache: CacheUse = CacheUse.USE
    similarity_threshold: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The outcome of the look-up; after a miss the evidence, and a key to store an answer under."""

    lookup: Lookup
    result: SearchResult | None = None
    context: Context | None = None
    store_key: UUID | None = None


def ask(
    request: AskRequest, *, reader_tags: frozenset[str], embedder: Embedder, now: datetime
) -> Reply:
    """Return a cached answer, else evidence. Raises what `build_query` and `search` raise."""
    query = build_query(request.search, reader_tags=reader_tags, now=now)
    profile = get_profile(request.search.profile)
    scope = _scope(request, query, profile, embedder, now)
    lookup = _look_up(request, query, scope, embedder, now)
    if lookup.answer is not None:
        return Reply(lookup=lookup)
    vector = lookup.vector
    if vector is None and request.cache is CacheUse.REFRESH:
        vector = embed_question(query.question, embedder)
    result = search(
        request.search,
        reader_tags=reader_tags,
        now=now,
        embedder=embedder,
        query_vector=vector,
        profile=profile,
    )
    context = build_context(result, profile=profile)
    store_key = None
    if scope is not None and vector is not None:
        store_key = offer(
            question=query.question,
            scope=scope,
            vector=vector,
            evidence=_offered(result, context),
            now=now,
        )
    return Reply(lookup=lookup, result=result, context=context, store_key=store_key)


def _scope(
    request: AskRequest, query: Query, profile: Profile, embedder: Embedder, now: datetime
) -> Scope | None:
    """Return the scope of the question; None when its answer cannot be cached."""
    if request.cache is CacheUse.OFF or not cache_settings().is_enabled:
        return None
    space = find_active_space()
    if space is None or not is_space_of(space, embedder.spec):
        return None
    today = timezone.localtime(now).date()
    return Scope(
        filters=query.filters,
        profile=profile.slug,
        profile_version=profile.version,
        space_id=space.pk,
        language=request.language,
        conversation_id=request.conversation_id,
        chat_model=request.chat_model,
        asked_on=today if counts_from_today(query.question) else None,
    )


def _look_up(
    request: AskRequest, query: Query, scope: Scope | None, embedder: Embedder, now: datetime
) -> Lookup:
    if not cache_settings().is_enabled:
        return skip_lookup(reason=MissReason.SWITCHED_OFF, now=now)
    if request.cache is not CacheUse.USE:
        return skip_lookup(reason=MissReason.BYPASSED, now=now)
    if scope is None:
        return skip_lookup(reason=MissReason.NOT_EMBEDDED, now=now)
    return look_up(
        question=query.question,
        scope=scope,
        embedder=embedder,
        now=now,
        similarity_threshold=request.similarity_threshold,
    )


def _offered(result: SearchResult, context: Context) -> list[OfferedPassage]:
    """Return the passages of the context, each as the search read it."""
    evidence = {hit.evidence.chunk_id: hit.evidence for hit in result.hits}
    return [
        OfferedPassage(
            number=citation.number,
            chunk_id=chunk_id,
            content_hash=evidence[chunk_id].content_hash,
            document_id=evidence[chunk_id].document_id,
            source_id=evidence[chunk_id].source_id,
            trust=evidence[chunk_id].trust,
        )
        for citation in context.citations
        for chunk_id in citation.chunk_ids
    ]
