"""Values of a search with only what a test is about spelled out."""

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

from hypothesis import strategies as st

from retrieval.types import Arm, ArmResult, Candidate, Evidence, FusedCandidate, Hit, Receipt

NOW = datetime(2031, 7, 20, 12, tzinfo=UTC)

EVIDENCE = Evidence(
    chunk_id=1,
    content_hash="",
    document_id=1,
    position=0,
    text="The grail is in the castle.",
    prefix="",
    heading_path=(),
    start=0,
    end=27,
    token_count=8,
    title="Grail",
    url="",
    external_id="grail.txt",
    source_id=1,
    source_name="Camelot",
    source_type="email",
    source_type_label="E-mail",
    published_at=None,
    fetched_at=NOW,
    valid_from=None,
    valid_until=None,
    is_superseded=False,
    trust=0.7,
    authority=0.5,
    half_life_days=180.0,
)

RECEIPT = Receipt(
    keyword_rank=1,
    keyword_score=0.3,
    vector_rank=1,
    vector_score=0.6,
    relevance=1.0,
    freshness=0.5,
    age_days=None,
    half_life_days=180.0,
    trust=0.7,
    authority=0.5,
    blend="classic",
    weights={"relevance": 0.4, "freshness": 0.25, "trust": 0.2, "authority": 0.15},
    score=0.74,
)


def evidence(chunk_id=1, **changes):
    """Return a passage; each chunk is a document of its own, about an entity of its own.

    So no two are duplicates unless said otherwise.
    """
    own = {"document_id": chunk_id, "entity_ids": (UUID(int=chunk_id),)}
    return replace(EVIDENCE, **{"chunk_id": chunk_id, **own, **changes})


def hit(rank=1, *, similarity=0.6, **changes):
    """Return a hit whose chunk is numbered like its rank."""
    passage = evidence(changes.pop("chunk_id", rank), **changes)
    receipt = replace(RECEIPT, vector_score=similarity)
    return Hit(rank=rank, score=receipt.score, evidence=passage, receipt=receipt)


def arm_result(arm, *scored):
    """Return what an arm found: chunk ids, or (chunk id, score) pairs, best first."""
    pairs = [pair if isinstance(pair, tuple) else (pair, 1.0) for pair in scored]
    return ArmResult(
        arm=arm,
        candidates=tuple(
            Candidate(chunk_id=chunk_id, rank=rank, score=score)
            for rank, (chunk_id, score) in enumerate(pairs, start=1)
        ),
    )


def fused(chunk_id, relevance):
    """Return a fused candidate that no arm claims."""
    return FusedCandidate(chunk_id=chunk_id, relevance=relevance)


def arm_results(arm):
    """Return a strategy of what an arm may find: chunks once or more, scores falling."""
    scored = st.lists(st.tuples(st.integers(1, 12), st.floats(-1.0, 40.0)), max_size=12)
    return scored.map(
        lambda pairs: arm_result(
            arm,
            *zip(
                [chunk_id for chunk_id, _ in pairs],
                sorted((score for _, score in pairs), reverse=True),
                strict=True,
            ),
        )
    )


keyword_results = arm_results(Arm.KEYWORD)
vector_results = arm_results(Arm.VECTOR)
