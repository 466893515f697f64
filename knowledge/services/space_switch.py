"""Switches which embedding model answers, takes that back, and drops vectors no longer wanted."""

from datetime import datetime

from django.db import OperationalError, connection, transaction

from knowledge.exceptions import ConfirmationMissingError, ReembeddingError
from knowledge.models import ChunkEmbedding, EmbeddingSpace, SpaceStatus
from knowledge.services.reembedding import fill_space, is_missing_any, lock_spaces
from knowledge.services.space_index import drop_index, has_valid_index
from knowledge.services.spaces import SWITCHED_TO, find_active_space
from knowledge.signals import space_switched

# What golden questions may lose of nDCG@10 by a switch that nobody insists on.
TOLERATED_LOSS = 0.02
CATCH_UPS = 5
LOCK_TIMEOUT = "10s"
LOCK_NOT_AVAILABLE = "55P03"
DELETED_AT_ONCE = 20_000


def switch_space(
    *, space: EmbeddingSpace, now: datetime, is_forced: bool = False
) -> EmbeddingSpace:
    """Let a space answer instead of the active one, which stays up to date; return that one.

    Readers see one or the other. What lacks a vector is filled in before. Raises ReembeddingError
    for a space that is not complete, or that answers the golden questions worse and is not forced.
    """
    if not is_forced:
        _check_comparison(space)
    for _ in range(CATCH_UPS):
        if is_missing_any(space.pk):
            fill_space(space, on_progress=lambda _: None)
        previous = _switch_if_complete(space.pk, now)
        if previous is not None:
            space.refresh_from_db()
            return previous
    message = "New passages keep coming in faster than they are embedded. Try again."
    raise ReembeddingError(message)


def previous_space() -> EmbeddingSpace:
    """Return the space that answered before the active one. Raises ReembeddingError."""
    left = EmbeddingSpace.objects.filter(status=SpaceStatus.READY, activated_at__isnull=False)
    space = left.order_by("-activated_at", "-pk").first()
    if space is None:
        message = "There is no earlier model to go back to: it was dropped, or there was none."
        raise ReembeddingError(message)
    return space


def drop_space(*, space: EmbeddingSpace, is_confirmed: bool = False) -> int:
    """Retire a space and delete its vectors; return how many. May be interrupted and called again.

    Raises what `retire_space` raises.
    """
    retire_space(space=space, is_confirmed=is_confirmed)
    drop_index(space)
    return _delete_vectors(space)


def retire_space(*, space: EmbeddingSpace, is_confirmed: bool = False) -> None:
    """Keep a space up to date no longer; whoever fills it stops.

    Raises ReembeddingError for the active space, and ConfirmationMissingError.
    """
    with transaction.atomic():
        lock_spaces()
        space.refresh_from_db()
        if space.status == SpaceStatus.ACTIVE:
            message = f"{space} is in use: switch to another model first."
            raise ReembeddingError(message)
        if not is_confirmed:
            message = f"Dropping {space} deletes its vectors; embedding them again takes its time."
            raise ConfirmationMissingError(message)
        space.status = SpaceStatus.RETIRED
        space.is_stop_requested = True
        space.save(update_fields=["status", "is_stop_requested"])


def _delete_vectors(space: EmbeddingSpace) -> int:
    vectors = ChunkEmbedding.objects.filter(space=space)
    total = 0
    while ids := list(vectors.order_by("pk").values_list("pk", flat=True)[:DELETED_AT_ONCE]):
        total += ChunkEmbedding.objects.filter(pk__in=ids).delete()[0]
    return total


def is_worse(space: EmbeddingSpace) -> bool:
    """Tell whether a space answered the golden questions worse than is tolerated."""
    old, new = space.comparison.get("old_ndcg"), space.comparison.get("new_ndcg")
    return old is not None and new is not None and new < old - TOLERATED_LOSS


def _check_comparison(space: EmbeddingSpace) -> None:
    if not is_worse(space):
        return
    found = space.comparison
    message = (
        f"{space} answers the golden questions worse: nDCG@10 {found['new_ndcg']:.3f} instead of"
        f" {found['old_ndcg']:.3f} on {found['question_count']} questions. Insist on it to switch"
        " anyway."
    )
    raise ReembeddingError(message)


def _switch_if_complete(space_id: int, now: datetime) -> EmbeddingSpace | None:
    """Switch in one transaction; return the space that was left, None while a vector is missing."""
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'")
            lock_spaces()
            return _switch(space_id, now)
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", "") != LOCK_NOT_AVAILABLE:
            raise
        message = "Documents are being written without a pause. Try again in a moment."
        raise ReembeddingError(message) from error


def _switch(space_id: int, now: datetime) -> EmbeddingSpace | None:
    space = EmbeddingSpace.objects.get(pk=space_id)
    previous = find_active_space()
    if previous is None or previous.pk == space.pk:
        message = f"{space} is the model in use already."
        raise ReembeddingError(message)
    if space.status != SpaceStatus.READY or not has_valid_index(space):
        message = f"{space} is not complete yet."
        raise ReembeddingError(message)
    if is_missing_any(space_id):
        return None
    previous.status = SpaceStatus.READY
    previous.save(update_fields=["status"])
    space.status = SpaceStatus.ACTIVE
    space.activated_at = now
    space.options = {**space.options, SWITCHED_TO: True}
    space.save(update_fields=["status", "activated_at", "options"])
    space_switched.send(sender="knowledge", left_id=previous.pk, entered_id=space.pk)
    return previous
