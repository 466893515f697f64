"""How the change of the embedding model is told in words and as objects."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from knowledge.models import EmbeddingSpace
from knowledge.services.reembedding import FillOutcome
from knowledge.services.space_estimate import Estimate
from knowledge.services.space_status import SpaceStanding, describe_spaces


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


def outcome_lines(space: EmbeddingSpace, outcome: FillOutcome) -> Iterator[str]:
    """Yield how the filling ended and what to do next."""
    if outcome is not FillOutcome.READY:
        yield f"Stopped. What is embedded stays; give the command again to go on with {space}."
        return
    yield f"{space} is complete and kept up to date; the model in use goes on answering."
    comparison = space.comparison
    if comparison:
        yield (
            f"{comparison['question_count']} golden questions: nDCG@10"
            f" {comparison['new_ndcg']:.3f}, with {comparison['with']} {comparison['old_ndcg']:.3f}"
            f" ({comparison['better']} better, {comparison['worse']} worse)"
        )
    yield "`manage.py reembed --switch` lets it answer."


def standing_line(standing: SpaceStanding) -> str:
    """Return one model with its state and count."""
    space = standing.space
    line = (
        f"{space.pk}  {space.provider} {space}: {standing.words},"
        f" {standing.embedded} of {standing.total} passages"
    )
    return f"{line}. {space.fault}" if space.fault else line


def describe_duration(seconds: float) -> str:
    """Return a length of time in a unit that fits."""
    if seconds < 120:  # noqa: PLR2004 # two minutes
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 120 else f"{minutes / 60:.1f} h"  # noqa: PLR2004


def estimate_record(estimate: Estimate) -> dict[str, Any]:
    """Return the estimate as one object to print."""
    return asdict(estimate)


def standing_records() -> list[dict[str, Any]]:
    """Return how each model stands, as objects to print."""
    return [
        {
            "id": each.space.pk,
            "provider": each.space.provider,
            "model": each.space.model,
            "dimensions": each.space.dimensions,
            "status": each.space.status,
            "embedded": each.embedded,
            "passages": each.total,
            "comparison": each.space.comparison,
            "fault": each.space.fault,
        }
        for each in describe_spaces()
    ]
