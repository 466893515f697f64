"""How many passages and vectors there are: counted while they are few, estimated beyond that."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import connection

from knowledge.models import EmbeddingSpace, SpaceStatus

COUNTED_AT_MOST = 10_000

# The passages counted up to a limit, their estimated number, and the range of their ids.
PASSAGES = """
select
    (select count(*) from (select from knowledge_chunk limit %(limit)s) as few),
    (select reltuples from pg_class where oid = to_regclass('knowledge_chunk')),
    (select min(id) from knowledge_chunk),
    (select max(id) from knowledge_chunk)
"""
# Of each space the vectors counted up to a limit, and those in its index by estimate.
VECTORS = """
select
    space.id,
    (
        select count(*)
        from (select from knowledge_chunkembedding where space_id = space.id limit %(limit)s)
            as few
    ),
    (
        select reltuples from pg_class
        where oid = to_regclass('chunkembedding_hnsw_space_' || space.id)
    )
from knowledge_embeddingspace as space
where space.id = any(%(spaces)s)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """A number of rows, exact or about; `first` and `last` are ids where they are known."""

    count: int
    is_exact: bool
    first: int = 0
    last: int = 0

    def __str__(self) -> str:
        return f"{self.count:,}" if self.is_exact else f"about {self.count:,}"


def tally_passages() -> Tally:
    """Return how many passages there are."""
    with connection.cursor() as cursor:
        cursor.execute(PASSAGES, {"limit": COUNTED_AT_MOST + 1})
        counted, estimated, first, last = cursor.fetchone()
    count = _best(counted, estimated)
    return Tally(count=count, is_exact=counted <= COUNTED_AT_MOST, first=first or 0, last=last or 0)


def tally_vectors(spaces: Iterable[EmbeddingSpace], passages: Tally) -> dict[int, Tally]:
    """Return how many passages have a vector in each space, by its id."""
    wanted = {space.pk: space for space in spaces}
    with connection.cursor() as cursor:
        cursor.execute(VECTORS, {"limit": COUNTED_AT_MOST + 1, "spaces": list(wanted)})
        rows = cursor.fetchall()
    tallies = {}
    for pk, counted, indexed in rows:
        estimated = _filled(wanted[pk], passages) if indexed is None else indexed
        tallies[pk] = Tally(count=_best(counted, estimated), is_exact=counted <= COUNTED_AT_MOST)
    return tallies


def _best(counted: int, estimated: float) -> int:
    """Return what was counted unless counting was cut short."""
    return counted if counted <= COUNTED_AT_MOST else max(counted, round(estimated))


def _filled(space: EmbeddingSpace, passages: Tally) -> float:
    """Return how many passages were filled in by the id that filling has come to."""
    if space.status != SpaceStatus.BUILDING or passages.last <= passages.first:
        return 0.0
    share = (space.filled_to - passages.first) / (passages.last - passages.first)
    return passages.count * min(1.0, max(0.0, share))
