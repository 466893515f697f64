"""What a change of the embedding model takes and brings, in words."""

from collections.abc import Iterator

from knowledge.models import EmbeddingSpace
from knowledge.services.space_estimate import Estimate


def estimate_lines(estimate: Estimate) -> Iterator[str]:
    """Yield what is ahead in words."""
    spec = estimate.spec
    yield f"{spec.provider} {spec.model}: {spec.dimensions} numbers, up to {spec.max_tokens} tokens"
    yield (
        f"{estimate.missing_count} of {estimate.passage_count} passages to embed, about"
        f" {estimate.tokens:,} tokens"
    )
    yield (
        f"about {describe_duration(estimate.seconds)} (measured on {estimate.sample_count}"
        f" passages), and {estimate.bytes / 1_000_000:,.0f} MB in the database"
    )
    if estimate.price is not None:
        yield f"about {estimate.price:,.2f} at EMBEDDING_PRICE_PER_MILLION_TOKENS"
    if estimate.too_long_count:
        count = estimate.too_long_count
        yield f"{count} passages are longer than the model reads: their end is cut"


def comparison_lines(space: EmbeddingSpace) -> Iterator[str]:
    """Yield how the golden questions were answered, where there are any."""
    comparison = space.comparison
    if comparison:
        yield (
            f"{comparison['question_count']} golden questions: nDCG@10"
            f" {comparison['new_ndcg']:.3f}, with {comparison['with']} {comparison['old_ndcg']:.3f}"
            f" ({comparison['better']} better, {comparison['worse']} worse)"
        )


def describe_duration(seconds: float) -> str:
    """Return a length of time in a unit that fits."""
    if seconds < 120:  # noqa: PLR2004 # two minutes
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 120 else f"{minutes / 60:.1f} h"  # noqa: PLR2004
