"""What made a score, in parts that add up to it and in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retrieval.types import Hit, Receipt

QUALITIES = ("freshness", "trust", "authority")

CAPS = {
    "document": "Moved down: enough passages of the same document stand above.",
    "source": "Moved down: enough passages of the same source stand above.",
    "type": "Moved down: enough passages of the same kind of source stand above.",
}
BOOSTS = {
    "words": "holds the words of the question",
    "elsewhere": "neither filed under what the question names nor naming it",
    "newest": "the question asks for the newest, and newer passages were found",
    "superseded": "a newer document replaces it",
    "expired": "no longer valid",
    "not yet valid": "not valid yet",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorePart:
    """One summand of a score; `width` is its share, in percent, of the widest bar on the page."""

    name: str
    label: str
    amount: float
    width: float
    explanation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakdown:
    """A score taken apart: `parts` and `deductions` add up to it."""

    score: float
    parts: tuple[ScorePart, ...]
    deductions: tuple[ScorePart, ...]
    arms: tuple[str, ...]
    cap: str


def explain_hits(hits: Sequence[Hit], *, is_degraded: bool = False) -> list[Breakdown]:
    """Return the breakdown of each hit, with bars of one scale.

    Of a degraded search nothing is said about meaning, which was not compared.
    """
    summands = [_amounts(hit.receipt) for hit in hits]
    widest = max((sum(map(_positive, amounts.values())) for amounts in summands), default=0.0)
    return [
        _breakdown(hit.receipt, amounts, widest=widest, is_degraded=is_degraded)
        for hit, amounts in zip(hits, summands, strict=True)
    ]


def _positive(amount: float) -> float:
    return max(0.0, amount)


def _amounts(receipt: Receipt) -> dict[str, float]:
    """Return the summands of the score by name."""
    blended = _bounded(receipt) if receipt.blend == "bounded" else _classic(receipt)
    return {**blended, **receipt.boosts}


def _classic(receipt: Receipt) -> dict[str, float]:
    names = ("relevance", *QUALITIES)
    total = sum(receipt.weights[name] for name in names)
    if total <= 0:
        return dict.fromkeys(names, 0.0)
    return {name: receipt.weights[name] * _factor(receipt, name) / total for name in names}


def _bounded(receipt: Receipt) -> dict[str, float]:
    """Return `relevance x (1 + bound x (2 x quality - 1))`, multiplied out."""
    total = sum(receipt.weights[name] for name in QUALITIES)
    if total <= 0:
        return {"relevance": receipt.relevance, **dict.fromkeys(QUALITIES, 0.0)}
    bound = receipt.weights["bound"]
    parts = {"relevance": receipt.relevance * (1 - bound)}
    for name in QUALITIES:
        share = receipt.weights[name] * _factor(receipt, name) / total
        parts[name] = receipt.relevance * 2 * bound * share
    return parts


def _factor(receipt: Receipt, name: str) -> float:
    factors: Mapping[str, float] = {
        "relevance": receipt.relevance,
        "freshness": receipt.freshness,
        "trust": receipt.trust,
        "authority": receipt.authority,
    }
    return factors[name]


def _breakdown(
    receipt: Receipt, amounts: Mapping[str, float], *, widest: float, is_degraded: bool
) -> Breakdown:
    parts = [_part(receipt, name, amount, widest=widest) for name, amount in amounts.items()]
    return Breakdown(
        score=receipt.score,
        parts=tuple(part for part in parts if part.amount >= 0),
        deductions=tuple(part for part in parts if part.amount < 0),
        arms=(
            "By meaning: not compared." if is_degraded else _vector_words(receipt),
            _keyword_words(receipt),
        ),
        cap=CAPS.get(receipt.cap, receipt.cap),
    )


def _part(receipt: Receipt, name: str, amount: float, *, widest: float) -> ScorePart:
    return ScorePart(
        name=name if name in ("relevance", *QUALITIES) else "boost",
        label=name.capitalize(),
        amount=amount,
        width=round(100 * _positive(amount) / widest, 2) if widest > 0 else 0.0,
        explanation=_explanation(receipt, name),
    )


def _explanation(receipt: Receipt, name: str) -> str:
    match name:
        case "relevance":
            return f"{receipt.relevance:.2f} after meaning and words are merged"
        case "freshness":
            return f"{receipt.freshness:.2f}: {_age_words(receipt)}"
        case "trust":
            return f"{receipt.trust:.2f}, as set for its source or document"
        case "authority":
            return f"{receipt.authority:.2f}, as set for its source or kind of source"
        case "superseded" if receipt.superseded_by:
            return f"{receipt.superseded_by} replaces it, and stands before it"
        case _:
            return BOOSTS.get(name, name)


def _age_words(receipt: Receipt) -> str:
    if receipt.age_days is None:
        return "it has no date"
    return (
        f"{describe_days(receipt.age_days)} old, half as fresh after every"
        f" {describe_days(receipt.half_life_days)}"
    )


def describe_days(days: float) -> str:
    """Return a number of days as people say it."""
    if days < 1:
        return "less than a day"
    whole = round(days)
    return "1 day" if whole == 1 else f"{whole:,} days"


def _vector_words(receipt: Receipt) -> str:
    if receipt.vector_rank is None:
        return "By meaning: not among the closest passages."
    return f"By meaning: place {receipt.vector_rank}, similarity {receipt.vector_score:.2f}."


def _keyword_words(receipt: Receipt) -> str:
    if receipt.keyword_rank is None:
        return "By words: not among the best passages."
    return f"By words: place {receipt.keyword_rank}, {receipt.keyword_score:.2f} points."
