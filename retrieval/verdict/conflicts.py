"""Finds documents that contradict each other on what was asked; silent where in doubt. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import combinations

from retrieval.types import Evidence
from retrieval.verdict.scope import have_same_scope
from retrieval.verdict.statements import Statement, find_statements
from retrieval.verdict.words import content_words

# A later publication explains a new value; documents of the same weeks should agree.
SAME_TIME = timedelta(days=30)
# Both sentences have to hold so much of the question, and these many words of it.
LEAST_SHARE = 0.5
LEAST_WORDS = 2
# Numbers closer than this are the same, rounded.
ROUNDING = 0.02
_MOMENTS = frozenset({"date", "clock", "calendar year"})
_ASKS_WHEN = re.compile(r"\b(?:when|what time|(?:what|which) (?:day|date|year)|wann|quand)\b", re.I)
_ASKS_HOW_MUCH = re.compile(
    r"\bhow (?:many|much|long|fast|often|quickly|large|big|high|soon)\b", re.I
)
_ASKS_WHAT = re.compile(r"\b(?:what|which|how|when)\b", re.I)
_ASKS_ELSE = re.compile(r"\b(?:who|whom|whose|where|why|wer|wo|warum|qui|où|pourquoi)\b", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two values for one thing, and the titles of the documents that state them."""

    one: str
    other: str
    one_title: str
    other_title: str

    def as_reason(self) -> str:
        """Return the conflict in words."""
        return (
            f"Documents disagree: “{self.one_title}” says {self.one}, "
            f"“{self.other_title}” says {self.other}."
        )


def find_conflict(
    question: str, passages: Sequence[Evidence], *, as_of: datetime
) -> Conflict | None:
    """Return the first pair of passages, best first, that state different values for one thing.

    One thing: a value of a kind that was asked for (a quantity, an amount, a share, a date), alone
    of it in a sentence, both sentences with at least half of the words of the question, the same
    ones, and nothing in them that limits them to different things. Superseded and outdated
    documents do not count, nor what a publication more than 30 days later explains. A document may
    say both, and so may another part of it that is stored under the same title.
    """
    if _ASKS_ELSE.search(question) and not _ASKS_WHAT.search(question):
        return None
    asked = content_words(question)
    current = [passage for passage in passages if _is_current(passage, as_of)]
    stated = [(passage, list(_on_topic(passage, question, asked))) for passage in current]
    for (one, ones), (other, others) in combinations(stated, 2):
        if _is_one_text(one, other) or _is_explained_by_time(one, other):
            continue
        for first in ones:
            for second in others:
                if _contradict(first, second, asked) and have_same_scope(
                    first, second, question=question
                ):
                    return Conflict(
                        one=first.shown,
                        other=second.shown,
                        one_title=one.title or one.external_id,
                        other_title=other.title or other.external_id,
                    )
    return None


def _is_current(passage: Evidence, as_of: datetime) -> bool:
    is_over = passage.valid_until is not None and passage.valid_until <= as_of
    is_early = passage.valid_from is not None and passage.valid_from > as_of
    return not (passage.is_superseded or is_over or is_early)


def _is_one_text(one: Evidence, other: Evidence) -> bool:
    if one.document_id == other.document_id:
        return True
    return bool(one.title) and (one.title, one.source_id) == (other.title, other.source_id)


def _is_explained_by_time(one: Evidence, other: Evidence) -> bool:
    if one.published_at is None or other.published_at is None:
        return False
    return abs(one.published_at - other.published_at) > SAME_TIME


def _on_topic(passage: Evidence, question: str, asked: frozenset[str]) -> Iterator[Statement]:
    statements = find_statements(
        passage.text, is_on_topic=lambda words: _is_enough(words & asked, asked)
    )
    return (statement for statement in statements if _is_asked(statement.kind, question))


def _is_asked(kind: str, question: str) -> bool:
    """Whether a value of the kind may answer; a year only answers what asks for a moment."""
    if _ASKS_WHEN.search(question):
        return kind in _MOMENTS
    if _ASKS_HOW_MUCH.search(question):
        return kind not in _MOMENTS
    return kind != "calendar year"


def _is_enough(shared: frozenset[str], asked: frozenset[str]) -> bool:
    return len(shared) >= max(LEAST_WORDS, LEAST_SHARE * len(asked))


def _contradict(first: Statement, second: Statement, asked: frozenset[str]) -> bool:
    if first.kind != second.kind or not _is_enough(first.words & second.words & asked, asked):
        return False
    return not _is_same(first.value, second.value)


def _is_same(one: float | str, other: float | str) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return abs(one - other) <= ROUNDING * max(abs(one), abs(other))
