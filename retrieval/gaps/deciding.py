"""What a curator decides about a gap; "answered" is believed only after asking again."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from crmind.exceptions import CRMindError
from knowledge.embedding.base import Embedder
from knowledge.models import EVERYONE
from retrieval.exceptions import StillUnansweredError, UnknownProfileError
from retrieval.models import GapStatus, KnowledgeGap, SearchLog
from retrieval.pipeline import answer
from retrieval.query.parse import SearchRequest, build_query
from retrieval.services import get_profile
from retrieval.types import Filters, Verdict

ASKED_AGAIN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """One way the question was asked, with the newest search of it."""

    search: SearchLog
    count: int


def assign_gap(*, gap: KnowledgeGap, **changes: Any) -> KnowledgeGap:
    """Set the owner or the note of a gap."""
    with transaction.atomic():
        current = _locked(gap)
        for name in changes.keys() & {"owner", "note"}:
            setattr(current, name, changes[name])
        current.save(update_fields=["owner", "note", "updated_at"])
        return current


def mark_answered(*, gap: KnowledgeGap, embedder: Embedder, now: datetime) -> KnowledgeGap:
    """Close a gap whose newest wordings find sufficient evidence now.

    Each is asked as it was: for the same readers, within the same limits. Raises
    StillUnansweredError with the reason, also when no wording is kept any more.
    """
    wordings = wordings_of(gap, most=ASKED_AGAIN)
    if not wordings:
        message = "None of its questions is kept any more, so none can be asked again. Ignore it."
        raise StillUnansweredError(message)
    for wording in wordings:
        _check(wording.search, embedder=embedder, now=now)
    return _decide(gap, GapStatus.ANSWERED, now=now)


def ignore_gap(*, gap: KnowledgeGap, now: datetime) -> KnowledgeGap:
    """Set a gap aside, also when it is asked again."""
    return _decide(gap, GapStatus.IGNORED, now=now)


def reopen_gap(*, gap: KnowledgeGap, now: datetime) -> KnowledgeGap:
    """Put a gap back on the list."""
    return _decide(gap, GapStatus.OPEN, now=now)


def wordings_of(gap: KnowledgeGap, *, most: int, within: int = 500) -> Sequence[Wording]:
    """Return the different ways it was asked, newest first, among the newest `within` searches."""
    searches = SearchLog.objects.filter(gap_question__gap=gap).order_by("-created_at", "-pk")
    counts: dict[str, Wording] = {}
    for search in searches[:within]:
        key = search.question.casefold()
        known = counts.get(key)
        counts[key] = (
            Wording(search=search, count=1)
            if known is None
            else replace(known, count=known.count + 1)
        )
    return list(counts.values())[:most]


@transaction.atomic
def _decide(gap: KnowledgeGap, status: GapStatus, *, now: datetime) -> KnowledgeGap:
    current = _locked(gap)
    if current.status != status:
        current.status = status
        current.decided_at = now
        current.save(update_fields=["status", "decided_at", "updated_at"])
    return current


def _locked(gap: KnowledgeGap) -> KnowledgeGap:
    found: KnowledgeGap = KnowledgeGap.objects.select_for_update().get(pk=gap.pk)
    return found


def _check(search: SearchLog, *, embedder: Embedder, now: datetime) -> None:
    filters = _filters(search.filters)
    query = build_query(
        SearchRequest(question=search.question), reader_tags=filters.access_tags, now=now
    )
    try:
        profile = get_profile(search.profile_slug)
    except UnknownProfileError:
        profile = get_profile()
    try:
        result = answer(replace(query, filters=filters), profile=profile, embedder=embedder)
    except CRMindError as error:
        message = f"“{search.question}” could not be asked again: {error.message}"
        raise StillUnansweredError(message) from error
    judgment = result.judgment
    if judgment.verdict is not Verdict.ANSWERABLE:
        reasons = " ".join(judgment.reasons[:2])
        message = f"“{search.question}” is not answered yet. {reasons}"
        raise StillUnansweredError(message)


def _filters(logged: dict[str, Any]) -> Filters:
    """Return the limits the question was asked within; dates are left out, as time has passed."""
    return Filters(
        access_tags=frozenset(logged.get("access_tags") or {EVERYONE}),
        entity_ids=tuple(UUID(each) for each in logged.get("entity_ids", ())),
        source_ids=tuple(logged.get("source_ids", ())),
        source_type_ids=tuple(logged.get("source_type_ids", ())),
    )
