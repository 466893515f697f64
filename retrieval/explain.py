"""Says in words how a score came about."""

from collections.abc import Sequence

from retrieval.types import Duplicate, Receipt

NAMED_DUPLICATES = 5

CAPS = {
    "document": "moved down: enough passages of its document stand above it",
    "source": "moved down: enough passages of its source stand above it",
    "type": "moved down: enough passages of its kind of source stand above it",
}


def explain_receipt(receipt: Receipt) -> list[str]:
    """Return one line per part of the score, whose numbers give the score."""
    lines = [
        f"relevance {receipt.relevance:.3f}: {_words(receipt)}; {_meaning(receipt)}",
        f"freshness {receipt.freshness:.3f}: {_age(receipt)}",
        f"trust {receipt.trust:.2f}, authority {receipt.authority:.2f}",
        _blend(receipt),
    ]
    if receipt.rerank_score is not None:
        lines.insert(1, f"relevance judged anew by the reranker: {receipt.rerank_score:.3f}")
    lines += [f"{name}: {amount:+.3f}" for name, amount in receipt.boosts.items()]
    if receipt.superseded_by:
        lines.append(f"superseded by {receipt.superseded_by}, and stands behind it")
    if receipt.cap:
        lines.append(CAPS[receipt.cap])
    return lines


def describe_duplicates(duplicates: Sequence[Duplicate]) -> str:
    """Return which other documents say the same, on one line."""
    named = [f"{each.title} ({each.source_name})" for each in duplicates[:NAMED_DUPLICATES]]
    more = len(duplicates) - len(named)
    listed = "; ".join([*named, f"{more} more"] if more else named)
    noun = "document" if len(duplicates) == 1 else "documents"
    return f"also in {len(duplicates)} other {noun}, in the same words: {listed}"


def _words(receipt: Receipt) -> str:
    if receipt.keyword_score is None:
        return "not found by words"
    return f"{_place(receipt.keyword_rank)} by words (score {receipt.keyword_score:.3f})"


def _meaning(receipt: Receipt) -> str:
    if receipt.vector_score is None:
        return "not found by meaning"
    return f"{_place(receipt.vector_rank)} by meaning (similarity {receipt.vector_score:.3f})"


def _place(rank: int | None) -> str:
    return "not among the first" if rank is None else f"rank {rank}"


def _age(receipt: Receipt) -> str:
    if receipt.age_days is None:
        return "without a date"
    return f"{receipt.age_days:.0f} days old, half as fresh every {receipt.half_life_days:g} days"


def _blend(receipt: Receipt) -> str:
    weights = receipt.weights
    names = ("relevance", "freshness", "trust", "authority")
    factors = (receipt.relevance, receipt.freshness, receipt.trust, receipt.authority)
    first = 1 if receipt.blend == "bounded" else 0
    summands = " + ".join(
        f"{weights[name]:g} x {factor:.3f}"
        for name, factor in list(zip(names, factors, strict=True))[first:]
    )
    total = sum(weights[name] for name in names[first:])
    mean = f"{summands}, divided by {total:g}" if total else "0.5, as nothing of it has a weight"
    if receipt.blend == "bounded":
        return (
            f"{receipt.relevance:.3f} x (1 + {weights['bound']:g} x (2 x quality - 1)),"
            f" with quality = {mean}"
        )
    return mean
