"""Replaces the chunks of a document by new ones; those whose passage stayed keep id and vector."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from knowledge.ingestion import store
from knowledge.ingestion.pipeline import Passage
from knowledge.ingestion.store import StoredPassage
from knowledge.models import Document
from knowledge.services.changes import announce_chunks
from knowledge.services.vectors import PassageVectors, hold_spaces
from knowledge.signals import ChangeReason


class StaleVectorsError(Exception):
    """The document or the active model changed since: other vectors are needed now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Swap:
    """How stored chunks become new passages.

    `kept` holds the new form of chunks by id, `unembedded` those of them that lack a vector.
    """

    kept: Mapping[int, Passage]
    unembedded: frozenset[int]
    removed: tuple[int, ...]
    added: tuple[Passage, ...]

    @property
    def to_embed(self) -> dict[str, str]:
        """The texts that need vectors, by content hash."""
        passages = [*self.added, *(self.kept[chunk_id] for chunk_id in self.unembedded)]
        return {passage.content_hash: passage.text for passage in passages}


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapResult:
    """Ids of the chunks after a swap, and how many vectors were stored."""

    kept: tuple[int, ...]
    removed: tuple[int, ...]
    added: tuple[int, ...]
    embedded_count: int


def plan_swap(stored: Sequence[StoredPassage], passages: Sequence[Passage]) -> Swap:
    """Match passages with stored chunks by content hash, in order where a text repeats."""
    by_hash: dict[str, list[StoredPassage]] = defaultdict(list)
    for chunk in reversed(stored):
        by_hash[chunk.content_hash].append(chunk)
    kept: dict[int, Passage] = {}
    unembedded: set[int] = set()
    added: list[Passage] = []
    for passage in passages:
        if not by_hash[passage.content_hash]:
            added.append(passage)
            continue
        chunk = by_hash[passage.content_hash].pop()
        kept[chunk.chunk_id] = passage
        if not chunk.has_vector:
            unembedded.add(chunk.chunk_id)
    removed = tuple(chunk.chunk_id for chunk in stored if chunk.chunk_id not in kept)
    return Swap(kept=kept, unembedded=frozenset(unembedded), removed=removed, added=tuple(added))


def swap_passages(
    document: Document,
    passages: Sequence[Passage],
    *,
    vectors: PassageVectors,
    known: bool = True,
) -> SwapResult:
    """Write the passages of a locked document whose own row and entities are already up to date.

    A document that is not `known` was made just now and has no chunks. Raises StaleVectorsError
    when `vectors` lacks one that is needed of the active space; what lacks of others is filled in
    later.
    """
    spaces = hold_spaces()
    stored = _read_stored(document, spaces.active_id) if known else ()
    swap = plan_swap(stored, passages)
    if not swap.to_embed.keys() <= vectors.of(spaces.active_id).keys():
        raise StaleVectorsError
    _announce(ChangeReason.UPDATED, swap.removed, document)
    store.delete_chunks(swap.removed)
    store.update_chunks(document.pk, swap.kept)
    id_by_position = store.insert_chunks(document.pk, swap.added)
    added = {id_by_position[passage.chunk.position]: passage for passage in swap.added}
    unembedded = {chunk_id: swap.kept[chunk_id] for chunk_id in swap.unembedded}
    embedded = {**unembedded, **added}
    for space_id in (spaces.active_id, *spaces.other_ids):
        known_vectors = vectors.of(space_id)
        store.insert_vectors(
            {
                chunk_id: known_vectors[passage.content_hash]
                for chunk_id, passage in embedded.items()
                if passage.content_hash in known_vectors
            },
            space_id=space_id,
        )
    if stored:
        store.refresh_filters(document_ids=[document.pk])
    _announce(ChangeReason.ADDED, tuple(added), document)
    return SwapResult(
        kept=tuple(swap.kept),
        removed=swap.removed,
        added=tuple(added),
        embedded_count=len(embedded),
    )


def _read_stored(document: Document, space_id: int) -> tuple[StoredPassage, ...]:
    return store.read_passages([document.pk], space_id=space_id)[document.pk]


def _announce(reason: ChangeReason, chunk_ids: tuple[int, ...], document: Document) -> None:
    announce_chunks(reason, chunk_ids, document_id=document.pk, source_id=document.source_id)
