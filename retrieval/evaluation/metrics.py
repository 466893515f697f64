"""Measures of quality; those of rankings are computed by trec_eval."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import pytrec_eval

Judgements = Mapping[str, Mapping[str, int]]
"""Grade by document, by question."""

MRR_DEPTH = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """Means over the judged questions; a judged question without a ranking counts as 0."""

    ndcg_at_10: float
    recall_at_10: float
    recall_at_100: float
    mrr_at_10: float


def measure_quality(rankings: Mapping[str, Sequence[str]], judgements: Judgements) -> Quality:
    """Return how well `rankings` (documents by question, best first, each once) are ordered.

    Questions without a document of grade 1 or more are not scored.
    """
    scored = _scored(judgements)
    asked = {question: rankings.get(question, ()) for question in scored}
    deep = _evaluate(asked, scored, ("ndcg_cut.10", "recall.10,100"))
    top = {question: ranking[:MRR_DEPTH] for question, ranking in asked.items()}
    first = _evaluate(top, scored, ("recip_rank",))
    return Quality(
        ndcg_at_10=_mean(deep, "ndcg_cut_10", count=len(scored)),
        recall_at_10=_mean(deep, "recall_10", count=len(scored)),
        recall_at_100=_mean(deep, "recall_100", count=len(scored)),
        mrr_at_10=_mean(first, "recip_rank", count=len(scored)),
    )


def ndcg_by_question(
    rankings: Mapping[str, Sequence[str]], judgements: Judgements
) -> dict[str, float]:
    """Return nDCG@10 of each question that `measure_quality` scores."""
    scored = _scored(judgements)
    asked = {question: rankings.get(question, ()) for question in scored}
    results = _evaluate(asked, scored, ("ndcg_cut.10",))
    return {question: results.get(question, {}).get("ndcg_cut_10", 0.0) for question in scored}


def stale_share(
    rankings: Mapping[str, Sequence[str]], stale: Mapping[str, Collection[str]]
) -> float:
    """Return the share of `rankings` whose first document is stale for the question."""
    if not rankings:
        return 0.0
    count = sum(
        1
        for question, ranking in rankings.items()
        if set(ranking[:1]) & set(stale.get(question, ()))
    )
    return count / len(rankings)


def area_under_roc(positives: Sequence[float], negatives: Sequence[float]) -> float:
    """Return how often a positive value is above a negative one, ties counting half.

    1 tells both apart perfectly, 0.5 is chance; so it is where one of them is missing.
    """
    if not positives or not negatives:
        return 0.5
    ordered = sorted(negatives)
    above = sum(
        (bisect_left(ordered, value) + bisect_right(ordered, value)) / 2 for value in positives
    )
    return above / (len(positives) * len(negatives))


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that `share` (0..1) of `values` do not exceed; 0 without values."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def _scored(judgements: Judgements) -> dict[str, dict[str, int]]:
    return {
        question: dict(grades)
        for question, grades in judgements.items()
        if any(grade > 0 for grade in grades.values())
    }


def _evaluate(
    rankings: Mapping[str, Sequence[str]], judgements: Judgements, measures: tuple[str, ...]
) -> dict[str, dict[str, float]]:
    # trec_eval orders by score and breaks ties by name: the negative rank keeps the order as it is.
    run = {
        question: {document: -float(rank) for rank, document in enumerate(ranking)}
        for question, ranking in rankings.items()
        if ranking
    }
    evaluator = pytrec_eval.RelevanceEvaluator(judgements, set(measures))
    results: dict[str, dict[str, float]] = evaluator.evaluate(run)
    return results


def _mean(results: Mapping[str, Mapping[str, float]], measure: str, *, count: int) -> float:
    if not count:
        return 0.0
    return sum(result[measure] for result in results.values()) / count
