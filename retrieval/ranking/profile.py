"""The numbers that decide an order, as pure code takes them."""

from dataclasses import dataclass
from typing import Literal

from retrieval.exceptions import InvalidProfileError
from retrieval.fusion import Method
from retrieval.types import Arm

Blend = Literal["classic", "bounded"]
Order = Literal["rank", "edges"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A ranking profile; the fields are those of `RankingProfile`, which explains them."""

    slug: str = ""
    label: str = ""
    version: int = 1

    fusion: Method = "convex"
    rrf_k: int = 60
    vector_weight: float = 0.55
    keyword_weight: float = 0.45
    vector_depth: int = 100
    keyword_depth: int = 100
    min_similarity: float = -1.0
    synonym_weight: float = 0.5

    blend: Blend = "bounded"
    relevance_weight: float = 0.40
    freshness_weight: float = 0.25
    trust_weight: float = 0.20
    authority_weight: float = 0.15
    bound: float = 0.5
    undated_freshness: float = 0.5
    lexical_boost: float = 0.0
    recency_weight: float = 0.8
    recency_half_life_days: float = 30.0
    named_source_boost: float = 0.3
    period_boost: float = 0.3

    document_cap: int = 3
    source_cap: int = 0
    type_cap: int = 0

    answerable_confidence: float = 0.75
    weak_confidence: float = 0.5

    context_tokens: int = 3_000
    context_passages: int = 8
    context_order: Order = "rank"

    @property
    def arm_weights(self) -> dict[Arm, float]:
        """The weight of each arm; an arm of weight 0 is not asked."""
        return {Arm.KEYWORD: self.keyword_weight, Arm.VECTOR: self.vector_weight}


def check_profile(profile: Profile) -> None:
    """Refuse a profile that contradicts itself. Raises InvalidProfileError naming the field."""
    if profile.vector_weight <= 0 and profile.keyword_weight <= 0:
        message = "vector_weight or keyword_weight must be above 0: one arm has to count."
        raise InvalidProfileError(message, field="vector_weight")
    if profile.relevance_weight <= 0:
        message = "relevance_weight must be above 0, or every question gets the same answer."
        raise InvalidProfileError(message, field="relevance_weight")
    if profile.answerable_confidence < profile.weak_confidence:
        message = (
            f"answerable_confidence ({profile.answerable_confidence:g}) must not be below "
            f"weak_confidence ({profile.weak_confidence:g})."
        )
        raise InvalidProfileError(message, field="answerable_confidence")
