"""Fills the vectors of another embedding model in, while the one in use answers."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from time import monotonic, sleep

from django.db import OperationalError, connection, transaction
from django.db.models import Q
from django.utils import timezone

from crmind.exceptions import CRMindError
from knowledge.embedding.base import Embedder
from knowledge.embedding.choice import ModelChoice
from knowledge.embedding.registry import embedder_for, embedder_of
from knowledge.exceptions import InvalidVectorError, ReembeddingError
from knowledge.ingestion import store
from knowledge.models import Chunk, ChunkEmbedding, EmbeddingSpace, SpaceStatus
from knowledge.services.batches import is_deadlock
from knowledge.services.intake import chunking_settings
from knowledge.services.space_index import build_index
from knowledge.services.spaces import SPACES_LOCK, find_active_space
from knowledge.services.vectors import embed_texts
from knowledge.signals import SpaceComparison, spaces_compared

# Texts that are embedded before their vectors are written: what an interruption costs at most.
BATCH_CHUNKS = 128
ATTEMPTS = 5
FILL_LOCK = 731_043
LOCK_SECONDS = 2.0
# Longer than a batch and the index of a large stock takes between two signs of life.
ABANDONED_AFTER = timedelta(minutes=15)


class FillOutcome(StrEnum):
    """How a filling ended."""

    READY = "ready"
    STOPPED = "stopped"
    PAUSED = "paused"


@dataclass(frozen=True, slots=True, kw_only=True)
class FillProgress:
    """How many passages have a vector of the new model."""

    done: int
    total: int


OnProgress = Callable[[FillProgress], None]


def begin_reembedding(choice: ModelChoice) -> EmbeddingSpace:
    """Return the space to fill for a model; new passages are written to it from now on.

    One that was begun before goes on. Raises ReembeddingError, and the errors of the model.
    """
    spec = embedder_for(choice).spec
    with transaction.atomic():
        lock_spaces()
        if find_active_space() is None:
            message = (
                "Nothing is embedded yet: set EMBEDDING_PROVIDER and EMBEDDING_MODEL, and ingest."
            )
            raise ReembeddingError(message)
        space, _ = EmbeddingSpace.objects.get_or_create(
            provider=spec.provider,
            model=spec.model,
            dimensions=spec.dimensions,
            defaults={"options": dict(choice.options())},
        )
        if space.status == SpaceStatus.ACTIVE:
            message = f"{space} is the model in use already."
            raise ReembeddingError(message)
        _check_alone(space)
        if space.status == SpaceStatus.RETIRED:
            space.options = dict(choice.options())
            space.filled_to = 0
            space.comparison = {}
            space.status = SpaceStatus.BUILDING
        space.is_stop_requested = False
        space.fault = ""
        space.save()
    return space


def _check_alone(space: EmbeddingSpace) -> None:
    other = EmbeddingSpace.objects.filter(status=SpaceStatus.BUILDING).exclude(pk=space.pk).first()
    if other is not None:
        message = f"{other} is being built. Switch to it or drop it first."
        raise ReembeddingError(message)


def fill_space(
    space: EmbeddingSpace, *, on_progress: OnProgress, seconds: float | None = None
) -> FillOutcome:
    """Embed what lacks a vector in the space, build its index, and compare it with the one in use.

    May be interrupted at any moment and called again: each batch is kept. It pauses after
    `seconds`. Raises ReembeddingError while another process fills it, and the errors of the model.
    """
    ends_at = None if seconds is None else monotonic() + seconds
    with _alone(space):
        try:
            outcome = _fill(space, on_progress, ends_at)
            if outcome is FillOutcome.READY:
                build_index(space)
                _become_ready(space)
        except CRMindError as error:
            EmbeddingSpace.objects.filter(pk=space.pk).update(fault=error.message)
            raise
    return outcome


def missing_count(space: EmbeddingSpace) -> int:
    """Return how many passages lack a vector in the space."""
    embedded = ChunkEmbedding.objects.filter(space=space)
    return max(0, Chunk.objects.count() - embedded.count())


def is_missing_any(space_id: int) -> bool:
    """Tell whether a passage lacks a vector in the space."""
    return bool(store.find_missing(space_id, after=0, limit=1, max_tokens=1))


def abandoned_spaces(*, now: datetime) -> list[int]:
    """Return the spaces that whoever filled them left off, without a fault or a wish to stop."""
    begun = EmbeddingSpace.objects.filter(
        status=SpaceStatus.BUILDING, is_stop_requested=False, fault=""
    )
    silent = Q(heartbeat_at__isnull=True) | Q(heartbeat_at__lt=now - ABANDONED_AFTER)
    return list(
        begun.filter(silent, created_at__lt=now - ABANDONED_AFTER).values_list("pk", flat=True)
    )


def resume_filling(space: EmbeddingSpace) -> None:
    """Take a stop back, so that the space may be filled again."""
    EmbeddingSpace.objects.filter(pk=space.pk).update(is_stop_requested=False, fault="")


def request_stop(space: EmbeddingSpace) -> None:
    """Ask whoever fills the space to stop after its batch; what is filled in stays."""
    EmbeddingSpace.objects.filter(pk=space.pk).update(is_stop_requested=True)


def lock_spaces() -> None:
    """Keep passages from being written and spaces from being changed, to the transaction's end."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [SPACES_LOCK])


def _fill(space: EmbeddingSpace, on_progress: OnProgress, ends_at: float | None) -> FillOutcome:
    embedder = embedder_of(space)
    total = Chunk.objects.count()
    done = ChunkEmbedding.objects.filter(space=space).count()
    on_progress(FillProgress(done=done, total=total))
    for missing in _batches(space):
        done += _fill_batch(space, missing, embedder)
        on_progress(FillProgress(done=done, total=max(done, total)))
        state = EmbeddingSpace.objects.get(pk=space.pk)
        if state.is_stop_requested or state.status == SpaceStatus.RETIRED:
            return FillOutcome.STOPPED
        if ends_at is not None and monotonic() > ends_at:
            return FillOutcome.PAUSED
    return FillOutcome.READY


def _batches(space: EmbeddingSpace) -> Iterator[list[store.MissingVector]]:
    """Yield what is missing in order of id, then what was missed before, until nothing is."""
    max_tokens = chunking_settings(_active_embedder().spec).max_tokens
    after = EmbeddingSpace.objects.values_list("filled_to", flat=True).get(pk=space.pk)
    while True:
        missing = store.find_missing(
            space.pk, after=after, limit=BATCH_CHUNKS, max_tokens=max_tokens
        )
        if missing:
            yield missing
            after = missing[-1].chunk_id
        elif after == 0:
            return
        else:
            after = 0


def _active_embedder() -> Embedder:
    return embedder_of(find_active_space())


def _fill_batch(
    space: EmbeddingSpace, missing: Sequence[store.MissingVector], embedder: Embedder
) -> int:
    """Embed and store one batch; return how many vectors were new."""
    texts = {str(each.chunk_id): each.text for each in missing}
    try:
        vectors = embed_texts(texts, embedder)
    except InvalidVectorError as error:
        raise _naming_the_passage(error, missing, embedder) from error
    in_order = [vectors[str(each.chunk_id)] for each in missing]
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with transaction.atomic():
                stored = store.fill_vectors(missing, in_order, space_id=space.pk)
                EmbeddingSpace.objects.filter(pk=space.pk).update(
                    filled_to=missing[-1].chunk_id, heartbeat_at=timezone.now(), fault=""
                )
        except OperationalError as error:
            if not is_deadlock(error) or attempt == ATTEMPTS:
                raise
        else:
            return stored
    return 0


def _naming_the_passage(
    error: InvalidVectorError, missing: Sequence[store.MissingVector], embedder: Embedder
) -> InvalidVectorError:
    """Return the error with the number of the first passage that it is about."""
    for each in missing:
        try:
            embed_texts({"": each.text}, embedder)
        except InvalidVectorError as fault:
            return InvalidVectorError(f"Passage {each.chunk_id}: {fault.message}")
    return error


def _become_ready(space: EmbeddingSpace) -> None:
    space.refresh_from_db()
    if space.status not in {SpaceStatus.BUILDING, SpaceStatus.READY}:
        return
    is_first = space.status == SpaceStatus.BUILDING
    space.status = SpaceStatus.READY
    space.heartbeat_at = timezone.now()
    space.fault = ""
    space.save(update_fields=["status", "heartbeat_at", "fault"])
    if is_first:
        compare_with_active(space)


def compare_with_active(space: EmbeddingSpace) -> SpaceComparison | None:
    """Have both models answer the judged questions, and keep the result; None without questions."""
    active = find_active_space()
    if active is None or active.pk == space.pk:
        return None
    replies = spaces_compared.send(
        sender="knowledge", old_id=active.pk, new_id=space.pk, now=timezone.now()
    )
    comparison = _first_comparison(reply for _, reply in replies)
    if comparison is None:
        return None
    space.comparison = {
        "with": str(active),
        "question_count": comparison.question_count,
        "old_ndcg": round(comparison.old_ndcg, 4),
        "new_ndcg": round(comparison.new_ndcg, 4),
        "better": comparison.better,
        "worse": comparison.worse,
    }
    space.save(update_fields=["comparison"])
    return comparison


def _first_comparison(replies: Iterable[object]) -> SpaceComparison | None:
    for reply in replies:
        if isinstance(reply, SpaceComparison):
            return reply
    return None


@contextmanager
def _alone(space: EmbeddingSpace) -> Iterator[None]:
    """Hold the right to fill a space; it ends with the connection of a process that is killed.

    That may take the database a moment to notice.
    """
    ends_at = monotonic() + LOCK_SECONDS
    while not _try_lock(space.pk):
        if monotonic() > ends_at:
            message = f"{space} is being filled by another process."
            raise ReembeddingError(message)
        sleep(LOCK_SECONDS / 20)
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [FILL_LOCK, space.pk])


def _try_lock(space_id: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", [FILL_LOCK, space_id])
        return bool(cursor.fetchone()[0])
