"""Compares two embedding models by the golden questions, before one takes the other's place."""

from collections.abc import Mapping
from datetime import datetime
from statistics import fmean
from typing import Any

from knowledge.embedding.base import Embedder
from knowledge.embedding.registry import embedder_of
from knowledge.models import EmbeddingSpace
from knowledge.signals import SpaceComparison
from retrieval.evaluation.golden import GoldenCase, ask_case, load_cases, measure
from retrieval.ranking.profile import Profile
from retrieval.services import get_profile

# The newest questions: a switch shall not wait for hours.
MAX_QUESTIONS = 500


def compare_on_golden_set(
    *, old_id: int, new_id: int, now: datetime, **_: Any
) -> SpaceComparison | None:
    """Ask each judged question with both models; None where no question is judged."""
    spaces = EmbeddingSpace.objects.in_bulk([old_id, new_id])
    cases = [case for case in load_cases(now=now, limit=MAX_QUESTIONS).cases if case.is_answerable]
    if len(spaces) < 2 or not cases:  # noqa: PLR2004 # the two of them
        return None
    profile = get_profile()
    old, new = (
        _ndcg(cases, profile=profile, embedder=embedder_of(spaces[pk])) for pk in (old_id, new_id)
    )
    return SpaceComparison(
        question_count=len(old),
        old_ndcg=fmean(old.values()),
        new_ndcg=fmean(new.values()),
        better=sum(new[key] > old[key] for key in old),
        worse=sum(new[key] < old[key] for key in old),
    )


def _ndcg(cases: list[GoldenCase], *, profile: Profile, embedder: Embedder) -> Mapping[str, float]:
    answers = {case.key: ask_case(case, profile=profile, embedder=embedder) for case in cases}
    return measure(cases, answers).ndcg
