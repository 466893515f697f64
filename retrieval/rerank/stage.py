"""Has the best candidates judged once more by a reranker, where the settings name one."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from knowledge.embedding.base import Reranker
from knowledge.embedding.cross_encoder import CrossEncoderReranker
from knowledge.exceptions import EmbeddingError
from retrieval.rerank.relevance import with_rerank_scores
from retrieval.types import Evidence, FusedCandidate

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reranked:
    """Candidates as a reranker left them; `fault` tells why it could not judge."""

    candidates: tuple[FusedCandidate, ...]
    fault: str = ""


def rerank(
    fused: Sequence[FusedCandidate],
    evidence: Mapping[int, Evidence],
    *,
    question: str,
    reranker: Reranker | None,
    depth: int,
) -> Reranked:
    """Return the candidates with the `depth` best judged by the reranker; unchanged without one.

    A reranker that fails leaves them as they are: its fault is told, and is no error.
    """
    judged = [evidence[found.chunk_id] for found in fused if found.chunk_id in evidence][:depth]
    if reranker is None or not judged:
        return Reranked(candidates=tuple(fused))
    try:
        scores = reranker.score(question, [_passage(passage) for passage in judged])
    except EmbeddingError as error:
        logger.warning("not reranked: %s", error)
        return Reranked(candidates=tuple(fused), fault=str(error))
    by_chunk = dict(zip([passage.chunk_id for passage in judged], scores, strict=True))
    return Reranked(candidates=tuple(with_rerank_scores(fused, by_chunk)))


@lru_cache(maxsize=2)
def load_reranker(model: str) -> Reranker | None:
    """Return the reranker of that folder or hub name, None for an empty one; it loads when used."""
    return CrossEncoderReranker(model) if model else None


def _passage(evidence: Evidence) -> str:
    parts = (evidence.title, *evidence.heading_path, evidence.prefix, evidence.text)
    return "\n".join(part for part in parts if part)
