"""What the pages of embedding models show."""

from datetime import datetime, timedelta
from typing import Any

from django.urls import reverse

from knowledge.admin.curation import ago
from knowledge.models import EmbeddingSpace, SpaceStatus
from knowledge.services.space_status import words_for
from knowledge.services.space_switch import is_worse
from knowledge.services.space_tally import Tally, tally_passages, tally_vectors
from knowledge.services.space_words import comparison_lines
from knowledge.services.spaces import find_active_space, settings_note

SILENT_AFTER = timedelta(minutes=3)

BADGES = {
    SpaceStatus.BUILDING: "info",
    SpaceStatus.READY: "warning",
    SpaceStatus.ACTIVE: "success",
    SpaceStatus.RETIRED: "default",
}

MEANINGS = {
    SpaceStatus.BUILDING: (
        "The model in use goes on answering. New documents are embedded by both models."
    ),
    SpaceStatus.ACTIVE: "Questions are compared with the vectors of this model.",
    SpaceStatus.RETIRED: "It is not kept up to date. Change the model to it to embed anew.",
}
COMPLETE = "Every passage has a vector of it, and new ones get theirs. It answers once you switch."
BEFORE = "It answered before and is kept up to date: you can go back to it at once, or drop it."


def describe_list() -> dict[str, Any]:
    """Return what stands above the list."""
    active = find_active_space()
    building = EmbeddingSpace.objects.filter(status=SpaceStatus.BUILDING).first()
    progress = {}
    if building:
        total = tally_passages()
        embedded = tally_vectors([building], total)[building.pk]
        progress = {
            "link": _page(building),
            "waiting": Tally(
                count=max(0, total.count - embedded.count), is_exact=embedded.is_exact
            ),
            "total": total,
        }
    return {"note": settings_note(active) if active else "", "building": building, **progress}


def describe_page(space: Any, *, now: datetime) -> dict[str, Any]:
    """Return state, progress and comparison of one model."""
    total = tally_passages()
    embedded = tally_vectors([space], total)[space.pk]
    status = SpaceStatus(space.status)
    is_building = status is SpaceStatus.BUILDING
    is_stopped = is_building and (space.is_stop_requested or bool(space.fault))
    return {
        "words": words_for(space).capitalize(),
        "badge": BADGES[status],
        "meaning": _meaning(space),
        "embedded": embedded,
        "total": total,
        "percent": min(100, round(100 * embedded.count / total.count)) if total.count else 100,
        "is_live": is_building and not is_stopped,
        "is_stopped": is_stopped and not space.fault,
        "fault": space.fault,
        "heartbeat": ago(space.heartbeat_at),
        "is_silent": is_building and not is_stopped and _is_silent(space, now),
        "comparison": list(comparison_lines(space)),
        "is_worse": is_worse(space),
    }


def fitting(space: EmbeddingSpace) -> frozenset[str]:
    """Return the actions that the state of a model allows."""
    if space.status == SpaceStatus.BUILDING:
        is_at_rest = space.is_stop_requested or bool(space.fault)
        return frozenset({"resume_this" if is_at_rest else "stop_this", "drop_this"})
    if space.status != SpaceStatus.READY:
        return frozenset()
    if space.activated_at is not None:
        return frozenset({"go_back_to_this", "drop_this"})
    return frozenset({"switch_this_anyway" if is_worse(space) else "switch_this", "drop_this"})


def _meaning(space: EmbeddingSpace) -> str:
    if space.status == SpaceStatus.READY:
        return COMPLETE if space.activated_at is None else BEFORE
    return MEANINGS[SpaceStatus(space.status)]


def _is_silent(space: EmbeddingSpace, now: datetime) -> bool:
    return now - (space.heartbeat_at or space.created_at) > SILENT_AFTER


def _page(space: EmbeddingSpace) -> str:
    return reverse("admin:knowledge_embeddingspace_change", args=[space.pk])
