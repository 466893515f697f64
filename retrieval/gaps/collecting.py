"""Takes what could not be answered from the log of searches into gaps, a bounded lot at a time."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import QuerySet

from knowledge.embedding.base import Embedder
from knowledge.models import EmbeddingSpace
from knowledge.services.locking import try_lock
from knowledge.services.spaces import find_answering
from retrieval.conf import retrieval_settings
from retrieval.gaps.grouping import Group, Grouping
from retrieval.models import GapQuestion, GapStatus, KnowledgeGap, SearchLog
from retrieval.services import purge_searches
from retrieval.types import Verdict

POOR = (Verdict.WEAK.value, Verdict.NONE.value)
MOST_GAPS = 5_000
SEARCHES_AT_ONCE = 2_000
GAPS_LOCK = 7_310_050


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """What became of the searches that were looked at."""

    searches: int = 0
    new_gaps: int = 0
    reopened: int = 0
    left_over: int = 0


@transaction.atomic
def collect_gaps(*, embedder: Embedder) -> Collection:
    """Put the oldest poor searches that belong to no gap yet into the nearest one, or a new one.

    Questions that are kept as hashes only cannot be compared and are left out. A gap that was
    answered and is asked again with poor evidence is open again. Nothing happens while another
    process does the same.
    """
    if not try_lock(GAPS_LOCK):
        return Collection()
    found = find_answering(embedder)
    searches = list(_ungrouped()[:SEARCHES_AT_ONCE])
    if found is None or not searches:
        return Collection()
    space, own = found
    _move_to(space, own)
    by_wording: dict[str, list[SearchLog]] = defaultdict(list)
    for search in searches:
        by_wording[_wording(search.question)].append(search)
    return _place(by_wording, space=space, embedder=own)


@transaction.atomic
def tidy_up(*, now: datetime) -> None:
    """Delete searches older than the log is kept, and gaps of which no question is left."""
    purge_searches(before=now - timedelta(days=retrieval_settings().search_log_days))
    for gap in KnowledgeGap.objects.filter(questions__isnull=True):
        gap.delete()


def _ungrouped() -> QuerySet[Any]:
    poor = SearchLog.objects.filter(verdict__in=POOR, gap_question__isnull=True)
    return poor.exclude(question="").order_by("created_at", "pk").only("question", "created_at")


def _wording(question: str) -> str:
    return " ".join(question.casefold().split()).rstrip(" ?!.")


def _move_to(space: EmbeddingSpace, embedder: Embedder) -> None:
    """Embed gaps of another model anew by their wording, as vectors of two are never compared."""
    for gap in KnowledgeGap.objects.exclude(space=space)[:MOST_GAPS]:
        gap.space, gap.weight = space, 1
        gap.vector = embedder.embed_query(gap.question)
        gap.save(update_fields=["space", "weight", "vector", "updated_at"])


def _place(
    by_wording: Mapping[str, Sequence[SearchLog]], *, space: EmbeddingSpace, embedder: Embedder
) -> Collection:
    rows = {gap.pk: gap for gap in KnowledgeGap.objects.filter(space=space).order_by("pk")}
    groups = [
        Group(key=gap.pk, centroid=np.asarray(gap.vector, np.float32), weight=gap.weight)
        for gap in islice(rows.values(), MOST_GAPS)
    ]
    similarity = retrieval_settings().gap_similarity
    grouping = Grouping(groups, similarity=similarity, most=MOST_GAPS)
    new = reopened = placed = 0
    for searches in by_wording.values():
        newest = searches[-1].question
        group = grouping.place(np.asarray(embedder.embed_query(newest), np.float32))
        if group is None:
            continue
        if group.key is None:
            gap = _start(group, newest, space)
            group.key = gap.pk
            rows[gap.pk] = gap
            new += 1
        else:
            reopened += _join(rows[group.key], group, newest)
        GapQuestion.objects.bulk_create(
            [GapQuestion(search=search, gap_id=group.key) for search in searches],
            ignore_conflicts=True,
        )
        placed += len(searches)
    left = sum(map(len, by_wording.values())) - placed
    return Collection(searches=placed, new_gaps=new, reopened=reopened, left_over=left)


def _start(group: Group, question: str, space: EmbeddingSpace) -> KnowledgeGap:
    return KnowledgeGap.objects.create(question=question, space=space, vector=group.centroid)


def _join(gap: KnowledgeGap, group: Group, question: str) -> int:
    """Note the question with its gap; return 1 if that opened it again."""
    was_answered = gap.status == GapStatus.ANSWERED
    if was_answered:
        gap.status = GapStatus.OPEN
    gap.question, gap.vector, gap.weight = question, group.centroid, group.weight
    gap.save(update_fields=["question", "status", "vector", "weight", "updated_at"])
    return int(was_answered)
