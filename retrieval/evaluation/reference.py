"""The reference design, as a yardstick: reciprocal ranks of two plain arms, then a weighted sum.

It looks up all words of the question at once with PostgreSQL's own ranking, and passages of at
least some similarity, 20 of each; relevance is the sum of 1 / (60 + rank) over the largest possible
one. Nothing but evaluations uses it.
"""

import math
from datetime import datetime

from django.db import connection

from knowledge.embedding.base import Vector
from retrieval.conf import retrieval_settings
from retrieval.fusion import reciprocal_rank
from retrieval.search.evidence import load_evidence
from retrieval.search.scope import measure_scope
from retrieval.search.session import search_session
from retrieval.search.sql import filter_parameters, statement
from retrieval.search.vector import find_by_vector
from retrieval.types import Arm, ArmResult, Candidate, Evidence, Query

ARM_DEPTH = 20
MIN_SIMILARITY = 0.30
RRF_K = 60
LANGUAGE = "english"
RELEVANCE_WEIGHT, FRESHNESS_WEIGHT, TRUST_WEIGHT, AUTHORITY_WEIGHT = 0.40, 0.25, 0.20, 0.15
DECAY_PER_DAY = 0.05


def find_by_reference(query: Query, vector: Vector, *, space_id: int) -> list[int]:
    """Return the ids of the chunks that the reference design finds, best first."""
    settings = retrieval_settings()
    with search_session(settings, depth=ARM_DEPTH):
        similar = find_by_vector(
            vector,
            space_id=space_id,
            filters=query.filters,
            depth=ARM_DEPTH,
            min_similarity=MIN_SIMILARITY,
            is_narrow=measure_scope(query.filters, limit=settings.exact_scan_limit).is_narrow,
        )
        fused = reciprocal_rank([similar, _find_all_words(query)], k=RRF_K)
        evidence = load_evidence(
            [candidate.chunk_id for candidate in fused],
            questions=(),
            filters=query.filters,
            as_of=query.as_of,
        )
    scores = {
        found.chunk_id: reference_score(
            evidence[found.chunk_id], relevance=found.relevance, as_of=query.as_of
        )
        for found in fused
        if found.chunk_id in evidence
    }
    return sorted(scores, key=lambda chunk_id: (-scores[chunk_id], chunk_id))


def reference_score(evidence: Evidence, *, relevance: float, as_of: datetime) -> float:
    """Return 0.40 relevance + 0.25 exp(-0.05 x days) + 0.20 trust + 0.15 authority, 0..1.

    Days count from publication, else from when the document was taken in; a future one is new.
    """
    dated = evidence.published_at or evidence.fetched_at
    days = max((as_of - dated).total_seconds() / 86_400, 0.0)
    return (
        RELEVANCE_WEIGHT * relevance
        + FRESHNESS_WEIGHT * math.exp(-DECAY_PER_DAY * days)
        + TRUST_WEIGHT * evidence.trust
        + AUTHORITY_WEIGHT * evidence.authority
    )


def _find_all_words(query: Query) -> ArmResult:
    parameters = {
        **filter_parameters(query.filters),
        "language": LANGUAGE,
        "question": query.question,
        "depth": ARM_DEPTH,
    }
    with connection.cursor() as cursor:
        cursor.execute(statement("reference_keyword"), parameters)
        rows = cursor.fetchall()
    return ArmResult(
        arm=Arm.KEYWORD,
        candidates=tuple(
            Candidate(chunk_id=chunk_id, rank=rank, score=score)
            for rank, (chunk_id, score) in enumerate(rows, start=1)
        ),
    )
