"""Answers a question from the cache, else lays out the evidence to answer it from."""

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from cachemgr.conf import cache_settings
from cachemgr.conversation import depends_on_conversation
from cachemgr.keys import Scope
from cachemgr.reading import counts_from_today
from cachemgr.services.leasing import Turn, look_up_in_turn, release_lease, take_lease
from cachemgr.services.lookup import count_lookup, embed_question, find_semantic
from cachemgr.services.offers import drop_key, grant_key, reserve_key
from cachemgr.types import CacheUse, HitKind, Lookup, MissReason, OfferedPassage, Withheld
from knowledge.embedding.base import Embedder, Vector
from knowledge.services.spaces import embedder_now, find_active_space, is_space_of
from retrieval.pipeline import build_context, search
from retrieval.query.parse import SearchRequest, build_query
from retrieval.ranking.profile import Profile
from retrieval.services import get_profile
from retrieval.types import Context, Query, SearchResult


@dataclass(frozen=True, slots=True, kw_only=True)
class AskRequest:
    """A question as a caller asks it.

    `conversation_id` counts where the question depends on what was said before. `language` is what
    the answer shall be written in. `similarity_threshold` only makes a semantic hit harder.
    """

    search: SearchRequest
    conversation_id: str = ""
    chat_model: str = ""
    language: str = ""
    cache: CacheUse = CacheUse.USE
    similarity_threshold: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The outcome of the look-up; after a miss the evidence, and a key to store an answer under.

    `withheld` tells why there is no key.
    """

    lookup: Lookup
    result: SearchResult | None = None
    context: Context | None = None
    store_key: UUID | None = None
    withheld: Withheld | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A question that was read, with all that answering it takes."""

    request: AskRequest
    query: Query
    profile: Profile
    reader_tags: frozenset[str]
    embedder: Embedder
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class _Slot:
    """Where the answer to a question may be kept."""

    question: str
    scope: Scope
    vector: Vector | None


def ask(
    request: AskRequest, *, reader_tags: frozenset[str], embedder: Embedder, now: datetime
) -> Reply:
    """Return a cached answer, else evidence. Raises what `build_query` and `search` raise.

    Of equal questions asked at once one gets a store key; the others wait for its answer.
    """
    asked = _Asked(
        request=request,
        query=build_query(request.search, reader_tags=reader_tags, now=now),
        profile=get_profile(request.search.profile),
        reader_tags=reader_tags,
        embedder=embedder_now(embedder),
        now=now,
    )
    scope = _scope(asked)
    if isinstance(scope, MissReason):
        lookup = Lookup(kind=HitKind.MISS, reason=scope)
        count_lookup(lookup, now=now)
        return _lay_out(asked, lookup, withheld=Withheld.NOT_CACHEABLE)
    turn = _look_up(asked, scope)
    lookup = turn.lookup
    count_lookup(lookup, now=now)
    if lookup.answer is not None:
        return Reply(lookup=lookup)
    if turn.holder is not None:
        slot = _Slot(question=asked.query.question, scope=scope, vector=lookup.vector)
        return _lay_out_with_key(asked, lookup, slot, turn.holder)
    return _lay_out(asked, lookup, withheld=Withheld.BEING_ANSWERED)


def _scope(asked: _Asked) -> Scope | MissReason:
    """Return the scope of the question, or why its answer is neither looked up nor kept."""
    request = asked.request
    if not cache_settings().is_enabled:
        return MissReason.SWITCHED_OFF
    if request.cache is CacheUse.OFF:
        return MissReason.BYPASSED
    needs_conversation = depends_on_conversation(asked.query.question)
    if needs_conversation and not request.conversation_id:
        return MissReason.NEEDS_CONVERSATION
    space = find_active_space()
    if space is None or not is_space_of(space, asked.embedder.spec):
        return MissReason.NOT_EMBEDDED
    today = timezone.localtime(asked.now).date()
    return Scope(
        filters=asked.query.filters,
        profile=asked.profile.slug,
        profile_version=asked.profile.version,
        space_id=space.pk,
        steps=request.search.steps,
        language=request.language,
        conversation_id=request.conversation_id if needs_conversation else "",
        chat_model=request.chat_model,
        asked_on=today if counts_from_today(asked.query.question) else None,
    )


def _look_up(asked: _Asked, scope: Scope) -> Turn:
    """Look the question up and take the turn to answer it, or answer it anew in any case."""
    question = asked.query.question

    def find_meant(moment: datetime) -> Lookup:
        vector = embed_question(question, asked.embedder)
        if vector is None:
            return Lookup(kind=HitKind.MISS, reason=MissReason.NOT_EMBEDDED)
        return find_semantic(
            question=question,
            scope=scope,
            vector=vector,
            now=moment,
            similarity_threshold=asked.request.similarity_threshold,
        )

    if asked.request.cache is not CacheUse.REFRESH:
        return look_up_in_turn(question=question, scope=scope, find_meant=find_meant, now=asked.now)
    vector = embed_question(question, asked.embedder)
    holder = take_lease(question=question, scope=scope, now=asked.now, is_forced=True)
    lookup = Lookup(kind=HitKind.MISS, reason=MissReason.BYPASSED, vector=vector)
    return Turn(lookup=lookup, holder=holder)


def _lay_out(asked: _Asked, lookup: Lookup, *, withheld: Withheld) -> Reply:
    """Return the evidence without a key."""
    result = search(
        asked.request.search,
        reader_tags=asked.reader_tags,
        now=asked.now,
        embedder=asked.embedder,
        query_vector=lookup.vector,
        profile=asked.profile,
    )
    context = build_context(result, profile=asked.profile)
    return Reply(lookup=lookup, result=result, context=context, withheld=withheld)


def _lay_out_with_key(asked: _Asked, lookup: Lookup, slot: _Slot, holder: UUID) -> Reply:
    """Return the evidence, and the key of the lease; without evidence nobody has to wait for it."""
    is_granted = False
    reserve_key(holder, question=slot.question, scope=slot.scope, vector=slot.vector, now=asked.now)
    try:
        reply = _lay_out(asked, lookup, withheld=Withheld.NO_EVIDENCE)
        tokens = reply.context.token_count if reply.context else 0
        is_granted = grant_key(holder, _offered(reply), evidence_tokens=tokens)
    finally:
        if not is_granted:
            drop_key(holder)
            release_lease(holder)
    return replace(reply, store_key=holder, withheld=None) if is_granted else reply


def _offered(reply: Reply) -> list[OfferedPassage]:
    """Return the passages of the context, each as the search read it."""
    if reply.result is None or reply.context is None:
        return []
    evidence = {hit.evidence.chunk_id: hit.evidence for hit in reply.result.hits}
    return [
        OfferedPassage(
            number=citation.number,
            chunk_id=chunk_id,
            content_hash=evidence[chunk_id].content_hash,
            document_id=evidence[chunk_id].document_id,
            source_id=evidence[chunk_id].source_id,
            trust=evidence[chunk_id].trust,
        )
        for citation in reply.context.citations
        for chunk_id in citation.chunk_ids
    ]
