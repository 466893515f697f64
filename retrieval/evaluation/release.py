"""Saves a ranking profile, unless searches would use it and the golden set says it is worse."""

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, fields
from time import perf_counter
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from knowledge.embedding.base import Embedder
from knowledge.embedding.registry import get_embedder
from knowledge.history import because
from retrieval.conf import retrieval_settings
from retrieval.evaluation.golden import (
    CaseAnswer,
    ask_case,
    in_turn,
    load_cases,
    measure,
    share_of_right_verdicts,
)
from retrieval.evaluation.remembering import RememberingEmbedder
from retrieval.exceptions import QualityLossError
from retrieval.models import GoldenQuestion, ProfileStatus, RankingProfile
from retrieval.ranking.profile import Profile
from retrieval.services import as_profile, get_profile, save_profile

LONGEST_REASON = 200
# What changes neither which passages are found nor their order, nor whether there is evidence.
_WITHOUT_EFFECT = frozenset(
    {
        "slug",
        "label",
        "version",
        "answerable_confidence",
        "context_tokens",
        "context_passages",
        "context_order",
    }
)
_ORDERING = tuple(field.name for field in fields(Profile) if field.name not in _WITHOUT_EFFECT)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseFigures:
    """Golden-set quality of the profile in force and of the one to replace or join it.

    `before` and `after` are nDCG@10; `verdicts_before` and `verdicts_after` the share of questions
    that rightly find evidence, or rightly none. `question_count` of `judged_count` questions with
    a right document were asked; `left_out` did not fit into the time, `older` are beyond
    MOST_GOLDEN_QUESTIONS.
    """

    against: str
    before: float
    after: float
    verdicts_before: float
    verdicts_after: float
    question_count: int
    judged_count: int
    left_out: int = 0
    older: int = 0

    @property
    def loss(self) -> float:
        """How much quality falls; below 0 where it rises."""
        return self.before - self.after

    @property
    def is_worse(self) -> bool:
        """Whether the order or the verdicts get worse by more than is allowed, or nobody knows."""
        settings = retrieval_settings()
        if not self.question_count:
            return True
        lost_verdicts = self.verdicts_before - self.verdicts_after
        return self.loss > settings.most_ndcg_loss or lost_verdicts > settings.most_verdict_loss

    @property
    def is_small(self) -> bool:
        """Whether too few questions are judged to decide by them, asked in time or not."""
        return self.judged_count < retrieval_settings().least_judged_questions

    def in_words(self) -> str:
        """Return the figures as one sentence without its full stop."""
        if not self.question_count:
            return f"none of {self.judged_count} golden questions could be asked in time"
        noun = "question" if self.question_count == 1 else "questions"
        missing = [
            f"{why}: {count}"
            for count, why in (
                (self.left_out, "not asked for want of time"),
                (self.older, "older ones are not asked"),
            )
            if count
        ]
        asked = f" ({'; '.join(missing)})" if missing else ""
        verdicts = (
            f"; {self.verdicts_after:.0%} of the verdicts would be right, against"
            f" {self.verdicts_before:.0%}"
            if self.verdicts_after != self.verdicts_before
            else ""
        )
        return (
            f"nDCG@10 on {self.question_count} golden {noun}{asked} would be {self.after:.3f},"
            f" against {self.before:.3f} of {self.against}{verdicts}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedProfile:
    """A profile after it was saved, and the figures or why one that searches use has none."""

    profile: RankingProfile
    figures: ReleaseFigures | None = None
    unmeasured: str = ""


def save_measured(  # as for saving, and why it is let through
    *,
    profile: RankingProfile | None,
    changes: Mapping[str, Any],
    user: User | None = None,
    seen_version: int | None = None,
    override_reason: str = "",
    embedder: Embedder | None = None,
) -> SavedProfile:
    """Save a profile; one that searches use is measured on the golden set first.

    A published profile is compared with itself as it is, one to be published or to become the
    default with the default. Raises QualityLossError where nDCG@10 falls by more than
    MOST_NDCG_LOSS, or the share of right verdicts by more than MOST_VERDICT_LOSS, and no reason is
    given; a reason is kept in the history with the figures. Too small a golden set refuses nothing.
    Raises what `save_profile` raises.
    """
    figures, unmeasured = _measure(profile, changes, embedder=embedder)
    reason = override_reason.strip()
    is_worse = figures is not None and figures.is_worse
    if figures is not None and is_worse and not figures.is_small and not reason:
        raise QualityLossError(_refusal(figures), field="override_reason")
    kept = because(_kept_reason(figures, reason)) if figures and is_worse and reason else None
    with kept or nullcontext():
        saved = save_profile(profile=profile, changes=changes, user=user, seen_version=seen_version)
    return SavedProfile(profile=saved, figures=figures, unmeasured=unmeasured)


def publish(
    *, profile: RankingProfile, user: User | None = None, override_reason: str = ""
) -> RankingProfile:
    """Let searches use a profile. Raises QualityLossError."""
    saved = save_measured(
        profile=profile,
        changes={"status": ProfileStatus.PUBLISHED.value},
        user=user,
        override_reason=override_reason,
    )
    return saved.profile


def measure_pair(
    before: Profile, after: Profile, *, embedder: Embedder | None = None
) -> ReleaseFigures | None:
    """Return the golden-set quality of two profiles, None without a judged question."""
    settings = retrieval_settings()
    deadline = perf_counter() + settings.what_if_seconds
    golden = load_cases(now=timezone.now(), limit=settings.most_golden_questions)
    remembering = RememberingEmbedder(embedder or get_embedder())
    answers: tuple[dict[str, CaseAnswer], dict[str, CaseAnswer]] = ({}, {})
    for case in in_turn(golden.cases, deadline=deadline):
        for profile, kept in zip((before, after), answers, strict=True):
            kept[case.key] = ask_case(case, profile=profile, embedder=remembering)
    judged = [case for case in golden.cases if case.is_answerable]
    former, latter = (measure(judged, each) for each in answers)
    if not judged:
        return None
    old, new = (share_of_right_verdicts(golden.cases, each) for each in answers)
    return ReleaseFigures(
        against=before.label or before.slug,
        before=former.quality.ndcg_at_10,
        after=latter.quality.ndcg_at_10,
        verdicts_before=old,
        verdicts_after=new,
        question_count=latter.judged_count,
        judged_count=len(judged),
        left_out=len(golden.cases) - len(answers[1]),
        older=max(0, GoldenQuestion.objects.count() - settings.most_golden_questions),
    )


def _measure(
    profile: RankingProfile | None, changes: Mapping[str, Any], *, embedder: Embedder | None
) -> tuple[ReleaseFigures | None, str]:
    """Return the figures of a change that searches would feel, or why there are none."""
    stored = None if profile is None else RankingProfile.objects.get(pk=profile.pk)
    row = RankingProfile() if stored is None else RankingProfile.objects.get(pk=stored.pk)
    for name, value in changes.items():
        setattr(row, name, value)
    if row.status != ProfileStatus.PUBLISHED or not RankingProfile.objects.exists():
        return None, ""
    was_used = stored is not None and stored.status == ProfileStatus.PUBLISHED
    becomes_default = row.is_default and not (stored and stored.is_default)
    before = as_profile(stored) if stored and was_used and not becomes_default else get_profile()
    after = as_profile(row)
    if all(getattr(before, name) == getattr(after, name) for name in _ORDERING):
        same = f"it ranks as {before.label or before.slug} does"
        return None, "nothing was changed that moves a document" if stored and was_used else same
    figures = measure_pair(before, after, embedder=embedder)
    return figures, "" if figures else "no golden question is judged yet"


def _refusal(figures: ReleaseFigures) -> str:
    settings = retrieval_settings()
    if not figures.question_count:
        return (
            f"Nobody knows whether answers would get worse: {figures.in_words()}"
            f" ({settings.what_if_seconds:g} seconds, WHAT_IF_SECONDS). Try again later, leave it a"
            " draft, or write here why it is to be used unmeasured."
        )
    return (
        f"Answers would get worse: {figures.in_words()}. A loss of {settings.most_ndcg_loss:g} in"
        f" nDCG@10 and of {settings.most_verdict_loss:.0%} of the verdicts is allowed. Change the"
        " numbers, leave it a draft, or write here why it is to be used all the same; that is kept"
        " in the history."
    )


def _kept_reason(figures: ReleaseFigures, reason: str) -> str:
    kept = reason[:LONGEST_REASON].rstrip(".")
    what = "In spite of worse answers" if figures.question_count else "Unmeasured"
    return f"{what}: {kept}. {figures.in_words()}."
