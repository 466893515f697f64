"""Evaluates the decision of the semantic cache on pairs of questions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from cachemgr.evaluation.figures import (
    JudgedPair,
    Rates,
    Refusals,
    count_refusals,
    rates_at,
    rule_rates_at,
)
from cachemgr.evaluation.pairs import PairSet
from cachemgr.matching import MatchPolicy, judge_match
from knowledge.embedding.cached import BATCH_SIZE, StoredVectorEmbedder
from retrieval.evaluation.runner import Progress

# Below every cosine: each pair is judged, whatever its similarity.
ANY_SIMILARITY = -2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheEvaluation:
    """What a set of pairs says about the cache at a threshold."""

    name: str
    threshold: float
    rule_threshold: float
    rates: Rates
    rule_rates: Rates
    refusals: dict[str, Refusals]
    kinds: dict[str, Rates]
    judged: tuple[JudgedPair, ...]

    @property
    def false_hits(self) -> list[JudgedPair]:
        """Pairs of another answer that would be answered, the most similar first."""
        wrong = [
            each for each in self.judged if not each.pair.is_same and each.is_hit(self.threshold)
        ]
        return sorted(wrong, key=lambda each: -each.similarity)

    def as_record(self, *, false_hits: int = 0) -> dict[str, Any]:
        """Return the evaluation as `evaluate_cache --json` prints it."""
        rule = self.rule_rates.as_record()
        record = {
            "set": self.name,
            "pairs": len(self.judged),
            "threshold": self.threshold,
            **self.rates.as_record(),
            "rule_only": {
                "threshold": self.rule_threshold,
                "hit_rate": rule["hit_rate"],
                "false_hit_rate": rule["false_hit_rate"],
            },
            "guards": {name: counts.as_record() for name, counts in self.refusals.items()},
        }
        if self.kinds:
            record["kinds"] = {kind: rates.as_record() for kind, rates in self.kinds.items()}
        if false_hits:
            record["false_hits"] = [
                {
                    "q1": each.pair.asked,
                    "q2": each.pair.stored,
                    "similarity": round(each.similarity, 4),
                }
                for each in self.false_hits[:false_hits]
            ]
        return record


def evaluate_pairs(
    pair_set: PairSet,
    *,
    policy: MatchPolicy,
    rule_threshold: float,
    embedder: StoredVectorEmbedder,
    progress: Progress,
) -> CacheEvaluation:
    """Judge every pair as a look-up would. Raises EmbeddingError."""
    judged = tuple(_judge(pair_set, policy, embedder, progress))
    threshold = policy.similarity_threshold
    kinds = sorted({each.pair.kind for each in judged} - {""})
    return CacheEvaluation(
        name=pair_set.name,
        threshold=threshold,
        rule_threshold=rule_threshold,
        rates=rates_at(threshold, judged),
        rule_rates=rule_rates_at(rule_threshold, judged),
        refusals=count_refusals(threshold, judged),
        kinds={
            kind: rates_at(threshold, [each for each in judged if each.pair.kind == kind])
            for kind in kinds
        },
        judged=judged,
    )


def _judge(
    pair_set: PairSet, policy: MatchPolicy, embedder: StoredVectorEmbedder, progress: Progress
) -> Sequence[JudgedPair]:
    open_policy = replace(policy, similarity_threshold=ANY_SIMILARITY)
    judged: list[JudgedPair] = []
    with progress(f"{pair_set.name}: pairs", len(pair_set.pairs)) as advance:
        for start in range(0, len(pair_set.pairs), BATCH_SIZE):
            batch = pair_set.pairs[start : start + BATCH_SIZE]
            asked = embedder.embed_queries([pair.asked for pair in batch])
            stored = embedder.embed_queries([pair.stored for pair in batch])
            for pair, one, other in zip(batch, asked, stored, strict=True):
                similarity = float(one @ other)
                match = judge_match(
                    pair.asked, pair.stored, similarity=similarity, policy=open_policy
                )
                judged.append(JudgedPair(pair=pair, similarity=similarity, match=match))
            advance(len(batch))
    return judged
