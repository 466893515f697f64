"""Decides whether a stored question is the one that is asked: similarity, guards, verifier."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from cachemgr.guards import NO_NAMES, Addition, check_guards
from knowledge.embedding.base import Reranker
from knowledge.exceptions import EmbeddingError

VERIFIER = "verifier"


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchPolicy:
    """What a match needs; similarities are cosines and have to be exceeded.

    Where one question says a word more, `added_word_similarity` decides. The verifier, if there is
    one, has to give both directions `verifier_threshold` (0..1).
    """

    similarity_threshold: float
    added_word_similarity: float
    verifier: Reranker | None = None
    verifier_threshold: float = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """The decision on a pair of questions.

    `refused_by` names what turned down a pair that is near enough; `fault` tells why the verifier
    could not judge.
    """

    is_near: bool
    refused_by: tuple[str, ...] = ()
    fault: str = ""

    @property
    def is_hit(self) -> bool:
        return self.is_near and not self.refused_by


def judge_match(
    asked: str,
    stored: str,
    *,
    similarity: float,
    policy: MatchPolicy,
    names: Mapping[str, Sequence[UUID]] = NO_NAMES,
) -> Match:
    """Tell whether the answer to `stored` may be given to `asked`.

    `names` are the entities known by the names in the questions.
    """
    # Not "<=": a similarity that is no number is no match.
    if not similarity > policy.similarity_threshold:
        return Match(is_near=False)
    report = check_guards(asked, stored, names=names)
    if report.passed and not similarity > _least_similarity(report.addition, policy):
        return Match(is_near=True, refused_by=("content",))
    if not report.passed or policy.verifier is None:
        return Match(is_near=True, refused_by=report.refused_by)
    return _verify(asked, stored, policy.verifier, policy.verifier_threshold)


def _least_similarity(addition: Addition, policy: MatchPolicy) -> float:
    if addition is Addition.APART:
        return policy.added_word_similarity
    return policy.similarity_threshold


def _verify(asked: str, stored: str, verifier: Reranker, threshold: float) -> Match:
    """Have both directions judged; a verifier that fails lets nothing pass."""
    try:
        scores = [*verifier.score(asked, [stored]), *verifier.score(stored, [asked])]
    except EmbeddingError as error:
        return Match(is_near=True, refused_by=(VERIFIER,), fault=str(error))
    is_same = bool(scores) and min(scores) >= threshold
    return Match(is_near=True, refused_by=() if is_same else (VERIFIER,))
