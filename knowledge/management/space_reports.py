"""How the change of the embedding model is told in words and as objects."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from knowledge.models import EmbeddingSpace
from knowledge.services.reembedding import FillOutcome
from knowledge.services.space_estimate import Estimate
from knowledge.services.space_status import SpaceStanding, describe_spaces
from knowledge.services.space_words import comparison_lines


def outcome_lines(space: EmbeddingSpace, outcome: FillOutcome) -> Iterator[str]:
    """Yield how the filling ended and what to do next."""
    if outcome is not FillOutcome.READY:
        yield f"Stopped. What is embedded stays; give the command again to go on with {space}."
        return
    yield f"{space} is complete and kept up to date; the model in use goes on answering."
    yield from comparison_lines(space)
    yield "`manage.py reembed --switch` lets it answer."


def standing_line(standing: SpaceStanding) -> str:
    """Return one model with its state and count."""
    space = standing.space
    line = (
        f"{space.pk}  {space.provider} {space}: {standing.words},"
        f" {standing.embedded} of {standing.total} passages"
    )
    return f"{line}. {space.fault}" if space.fault else line


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
