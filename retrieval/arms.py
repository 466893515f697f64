"""Asks each arm that counts, and lets each score what only the other found."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from retrieval.conf import PG_TEXTSEARCH, RetrievalSettings
from retrieval.ranking.profile import Profile
from retrieval.search.bm25 import (
    WordsAsked,
    find_by_bm25,
    missing_indexes,
    read_words,
    score_by_bm25,
)
from retrieval.search.keyword import find_by_keyword, score_by_keyword
from retrieval.search.meaning import PendingMeaning
from retrieval.search.scope import measure_scope
from retrieval.search.terms import TermSet
from retrieval.search.vector import find_by_vector, score_by_vector
from retrieval.types import ArmResult, Candidate, Query


def ask_arms(
    query: Query,
    questions: Sequence[TermSet],
    pending: PendingMeaning,
    *,
    words: WordsAsked | None,
    profile: Profile,
    settings: RetrievalSettings,
) -> list[ArmResult]:
    """Return what each arm with a weight found; the vector arm is only asked with a vector.

    With `words` the extension is the keyword arm.

    The keyword arm is asked first: the question may be embedded meanwhile.

    Where scores are fused, not ranks, each arm also scores the chunks that only the other found: to
    be beyond its depth is not to be irrelevant.
    """
    scope = measure_scope(query.filters, limit=settings.exact_scan_limit)
    keyword = vector = None
    if profile.keyword_weight > 0 and words is not None:
        keyword = find_by_bm25(words, filters=query.filters, depth=profile.keyword_depth)
    elif profile.keyword_weight > 0:
        keyword = find_by_keyword(
            questions,
            filters=query.filters,
            depth=profile.keyword_depth,
            budget=settings.keyword_candidate_budget,
            scope=scope,
        )
    meaning = pending()
    if profile.vector_weight > 0 and meaning.vector is not None and meaning.space_id is not None:
        vector = find_by_vector(
            meaning.vector,
            space_id=meaning.space_id,
            filters=query.filters,
            depth=profile.vector_depth,
            min_similarity=profile.min_similarity,
            is_narrow=scope.is_narrow,
        )
        if keyword is not None and profile.fusion == "convex":
            similarities = score_by_vector(
                meaning.vector, _only_in(keyword, vector), space_id=meaning.space_id
            )
            unscored = _only_in(vector, keyword)
            scores = (
                score_by_keyword(questions, unscored)
                if words is None
                else score_by_bm25(words, unscored)
            )
            keyword = with_scores(keyword, scores, least=0.0)
            vector = with_scores(vector, similarities, least=profile.min_similarity)
    return [result for result in (keyword, vector) if result is not None]


def words_for_engine(
    query: Query, questions: Sequence[TermSet], *, settings: RetrievalSettings
) -> tuple[WordsAsked | None, str]:
    """Return what the keyword engine of the settings is asked, None for CRMind's own keyword arm.

    And why an engine that the settings name cannot be asked, else empty.
    """
    if settings.keyword_engine != PG_TEXTSEARCH:
        return None, ""
    languages = [question.language for question in questions]
    missing = missing_indexes(languages)
    if not missing:
        return read_words(query.topic, languages=languages), ""
    return None, (
        f"KEYWORD_ENGINE is {PG_TEXTSEARCH}, but the database has no valid index"
        f" {', '.join(missing)}: `manage.py build_bm25` builds it."
        " CRMind's own keyword arm answered."
    )


def with_scores(result: ArmResult, scores: Mapping[int, float], *, least: float) -> ArmResult:
    """Return the result with further chunks, without rank, of which the score is known."""
    scored = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
    added = (
        Candidate(chunk_id=chunk_id, rank=None, score=score)
        for chunk_id, score in scored
        if score >= least
    )
    return replace(result, candidates=(*result.candidates, *added))


def _only_in(result: ArmResult, other: ArmResult) -> list[int]:
    known = {candidate.chunk_id for candidate in other.candidates}
    found = (candidate.chunk_id for candidate in result.candidates)
    return [chunk_id for chunk_id in found if chunk_id not in known]
