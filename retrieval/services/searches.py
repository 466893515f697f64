"""The log of what was asked: keeping it and deleting it."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.crypto import salted_hmac

from retrieval.conf import retrieval_settings
from retrieval.models import SearchLog
from retrieval.types import Filters, SearchResult


def log_search(result: SearchResult, *, origin: str) -> SearchLog:
    """Keep what was asked and how well it could be answered.

    Where questions are kept as hashes only, nothing that holds words of them is kept either. The
    hash is keyed by SECRET_KEY: a list of likely questions does not tell which ones were asked.
    """
    query = result.query
    is_plain = retrieval_settings().search_log_questions == "plain"
    return SearchLog.objects.create(
        question=query.question if is_plain else "",
        question_hash=_question_hash(query.question),
        interpretation=dict(result.interpretation) if is_plain else {},
        filters=_logged(query.filters),
        profile_slug=result.profile,
        verdict=result.judgment.verdict.value,
        chunk_ids=[hit.evidence.chunk_id for hit in result.hits],
        origin=origin,
        timings_ms=dict(result.timings_ms),
    )


@transaction.atomic
def purge_searches(*, before: datetime) -> int:
    """Delete what was asked before that instant; return how many searches that were."""
    deleted, _ = SearchLog.objects.filter(created_at__lt=before).delete()
    return deleted


def _question_hash(question: str) -> str:
    return salted_hmac("retrieval.search_log", question.casefold(), algorithm="sha256").hexdigest()


def _logged(filters: Filters) -> dict[str, Any]:
    """Return the filters as JSON, without those that do not limit."""
    moments = {"since": filters.since, "until": filters.until, "known_by": filters.known_by}
    limits: dict[str, Any] = {
        "access_tags": sorted(filters.access_tags),
        "entity_ids": [str(entity_id) for entity_id in filters.entity_ids],
        "source_ids": list(filters.source_ids),
        "source_type_ids": list(filters.source_type_ids),
        **{name: moment.isoformat() for name, moment in moments.items() if moment},
    }
    return {name: value for name, value in limits.items() if value}
