"""What people asked lately, ready to be asked again as they asked it."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils.http import urlencode

from crmind.exceptions import CRMindError
from knowledge.models import EVERYONE
from retrieval.evaluation.golden import GoldenCase
from retrieval.models import SearchLog
from retrieval.query.parse import SearchRequest, build_query
from retrieval.types import Filters

# So many searches are looked through for questions that differ.
SEARCHES_PER_QUESTION = 10


def load_recent(*, limit: int, now: datetime, reads_everything: bool) -> list[GoldenCase]:
    """Return the latest different questions that were logged in words, the latest first.

    Who may not read everything sees only those that were asked with the rights of everyone.
    """
    rows = SearchLog.objects.exclude(question="").order_by("-created_at", "-pk")
    cases: dict[tuple[str, str], GoldenCase] = {}
    for pk, question, filters in rows.values_list("pk", "question", "filters")[
        : limit * SEARCHES_PER_QUESTION
    ]:
        tags = frozenset(filters.get("access_tags", ())) | {EVERYONE}
        key = (question.casefold(), str(sorted(filters.items(), key=lambda pair: pair[0])))
        if key in cases or len(cases) >= limit or (tags != {EVERYONE} and not reads_everything):
            continue
        try:
            cases[key] = _case(f"asked-{pk}", question, filters, tags=tags, now=now)
        except (CRMindError, ValueError):
            # What was narrowed to may be gone, and a question refused by now.
            continue
    return list(cases.values())


def typed_case(question: str, *, tags: frozenset[str], now: datetime) -> GoldenCase:
    """Return a question typed in by hand. Raises what a search raises."""
    return _case("typed", question, {}, tags=tags, now=now)


def _case(
    key: str, question: str, filters: Mapping[str, Any], *, tags: frozenset[str], now: datetime
) -> GoldenCase:
    asked = _filters(filters, tags)
    request = SearchRequest(question=question, as_of=asked.known_by)
    query = build_query(request, reader_tags=tags, now=now)
    parameters = {"question": question, "access_tags": ",".join(sorted(tags - {EVERYONE}))}
    return GoldenCase(
        key=key,
        text=query.question,
        query=replace(query, filters=asked),
        grades={},
        is_answerable=True,
        address=urlencode({name: value for name, value in parameters.items() if value}),
    )


def _filters(filters: Mapping[str, Any], tags: frozenset[str]) -> Filters:
    """Return the filters as the log keeps them."""
    moments = {
        name: datetime.fromisoformat(filters[name])
        for name in ("since", "until", "known_by")
        if filters.get(name)
    }
    return Filters(
        access_tags=tags,
        entity_ids=tuple(UUID(each) for each in filters.get("entity_ids", ())),
        source_ids=tuple(filters.get("source_ids", ())),
        source_type_ids=tuple(filters.get("source_type_ids", ())),
        **moments,
    )
