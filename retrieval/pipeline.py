"""From a question to ranked, judged evidence and a context: the stages in their order."""

from collections.abc import Sequence
from datetime import datetime

from knowledge.embedding.base import Embedder, Tokenizer, Vector
from knowledge.embedding.registry import get_query_embedder, get_tokenizer
from retrieval.arms import ask_arms, words_for_engine
from retrieval.conf import retrieval_settings
from retrieval.context import assemble_context
from retrieval.fusion import fuse
from retrieval.merging import (
    arm_timings,
    merge_fused,
    names_without_documents,
    queries_by_entity,
)
from retrieval.query.parse import SearchRequest, build_query
from retrieval.ranking.preference import profile_for
from retrieval.ranking.profile import Profile
from retrieval.ranking.rank import rank
from retrieval.rerank.stage import load_reranker, rerank
from retrieval.search.evidence import load_evidence
from retrieval.search.keyword import read_terms
from retrieval.search.language import tell_language
from retrieval.search.meaning import start_embedding
from retrieval.search.names import without_names
from retrieval.search.session import search_session
from retrieval.search.terms import TermSet, are_counted, describe_terms
from retrieval.services import get_profile, log_search
from retrieval.stopwatch import Stopwatch
from retrieval.types import Context, Query, SearchResult, Verdict
from retrieval.verdict import judge

UNCOUNTED = "The words of the documents were not counted yet: rare words weigh no more than others."


def search(  # noqa: PLR0913 # each is a choice of its own
    request: SearchRequest,
    *,
    reader_tags: frozenset[str],
    now: datetime,
    embedder: Embedder | None = None,
    query_vector: Vector | None = None,
    profile: Profile | None = None,
    origin: str = "api",
) -> SearchResult:
    """Return the best passages for a question that the reader may see, with a verdict on them.

    `query_vector` is that of the whole question, where it was embedded before. Raises the errors of
    `build_query`, and UnknownProfileError.
    """
    query = build_query(request, reader_tags=reader_tags, now=now)
    result = answer(
        query,
        profile=profile or get_profile(request.profile),
        embedder=embedder or get_query_embedder(),
        query_vector=query_vector,
    )
    if retrieval_settings().is_search_logged:
        log_search(result, origin=origin)
    return result


def answer(
    query: Query,
    *,
    profile: Profile,
    embedder: Embedder,
    query_vector: Vector | None = None,
    is_reranked: bool = True,
) -> SearchResult:
    """Return the best passages for a query that is ready, and log nothing.

    `is_reranked` false leaves out the reranker that the settings name.
    """
    settings = retrieval_settings()
    watch = Stopwatch()
    vector = query_vector if query.spelt_topic == query.question else None
    pending = start_embedding(query.spelt_topic, embedder=embedder, vector=vector)
    with search_session(settings, depth=profile.vector_depth):
        with watch.time("terms"):
            questions = read_terms(
                query.topic,
                expansions=query.understanding.expansions,
                expansion_weight=profile.synonym_weight,
                reads_identifiers=query.understanding.reads_identifiers,
            )
        with watch.time("arms"):
            asked = (query, *queries_by_entity(query))
            words, engine_fault = words_for_engine(query, questions, settings=settings)
            found = [
                ask_arms(each, questions, pending, words=words, profile=profile, settings=settings)
                for each in asked
            ]
        language = _language(query, questions)
        relaxed = names_without_documents(query, list(zip(asked, found, strict=True))[1:])
        fused = merge_fused(
            fuse(arms, method=profile.fusion, rrf_k=profile.rrf_k, weights=profile.arm_weights)
            for arms in found
        )
        results = [result for arms in found for result in arms]
        with watch.time("evidence"):
            evidence = load_evidence(
                [candidate.chunk_id for candidate in fused],
                questions=questions,
                beside_names=_beside_names(query, questions),
                filters=query.filters,
                as_of=query.as_of,
            )
    with watch.time("rerank"):
        reranked = rerank(
            fused,
            evidence,
            question=query.question,
            reranker=load_reranker(settings.reranker_model) if is_reranked else None,
            depth=settings.reranker_depth,
        )
    with watch.time("rank"):
        ranked = rank(
            reranked.candidates,
            evidence,
            profile=profile_for(query.understanding.preferences, profile=profile),
            as_of=query.as_of,
            preferences=query.understanding.preferences,
        )
    meaning = pending()
    is_degraded = bool(meaning.fault)
    return SearchResult(
        query=query,
        profile=profile.slug,
        hits=tuple(ranked[: query.top_k]),
        judgment=judge(ranked, query=query, profile=profile, is_degraded=is_degraded),
        interpretation={
            **describe_terms(questions),
            **({"language": language} if language else {}),
            **query.understanding.described,
            **({"relaxed": relaxed} if relaxed else {}),
        },
        exact={
            arm.value: all(result.is_exact for result in results if result.arm is arm)
            for arm in {result.arm for result in results}
        },
        is_complete=all(result.is_complete for result in results),
        is_degraded=is_degraded,
        warnings=tuple(
            warning
            for warning in (
                meaning.fault,
                reranked.fault,
                engine_fault,
                "" if are_counted(questions) else UNCOUNTED,
                *query.understanding.warnings,
                *(f"Nothing is filed under {name!r}: everything was searched." for name in relaxed),
            )
            if warning
        ),
        timings_ms={
            "embed": meaning.milliseconds,
            **watch.milliseconds,
            **arm_timings(results),
        },
    )


def _language(query: Query, questions: Sequence[TermSet]) -> str:
    if not query.understanding.tells_language:
        return ""
    return tell_language(questions, word_count=len(query.topic.split()))


def _beside_names(query: Query, questions: Sequence[TermSet]) -> list[TermSet]:
    named = query.understanding.preferences.about
    names = [about.asked or about.name for about in named]
    return [without_names(each, query.topic, names) for each in questions] if names else []


def build_context(
    result: SearchResult, *, profile: Profile | None = None, tokenizer: Tokenizer | None = None
) -> Context:
    """Return the evidence of a search laid out for a language model; nothing without evidence."""
    chosen = profile or get_profile(result.profile)
    has_evidence = result.judgment.verdict is not Verdict.NONE
    return assemble_context(
        result.hits if has_evidence else (),
        token_budget=chosen.context_tokens,
        max_passages=chosen.context_passages,
        order=chosen.context_order,
        tokenizer=tokenizer or get_tokenizer(),
    )
