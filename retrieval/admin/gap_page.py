"""What the page of a knowledge gap shows: how it was asked, and how often week by week."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count
from django.db.models.functions import TruncWeek
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode

from retrieval.admin.log import BADGES, VERDICTS
from retrieval.conf import retrieval_settings
from retrieval.gaps.deciding import wordings_of
from retrieval.models import KnowledgeGap, SearchLog
from retrieval.types import Verdict

SHOWN_WORDINGS = 10
SHOWN_WEEKS = 12


def describe_gap(gap: KnowledgeGap, *, now: datetime) -> dict[str, Any]:
    """Return wordings, weeks and where to go on from here."""
    wordings = wordings_of(gap, most=SHOWN_WORDINGS)
    searches = reverse("admin:retrieval_searchlog_changelist")
    upload = reverse("admin:knowledge_document_add_documents")
    return {
        "question": gap.question,
        "wordings": [
            {
                "question": wording.search.question,
                "count": wording.count,
                "asked_at": wording.search.created_at,
                "verdict": VERDICTS[Verdict(wording.search.verdict)],
                "badge": BADGES[Verdict(wording.search.verdict)],
                "again": _preview(wording.search.question),
            }
            for wording in wordings
        ],
        "weeks": list(_weeks(gap, now=now)),
        "preview": _preview(gap.question),
        "searches": f"{searches}?gap={gap.pk}",
        "upload": f"{upload}?{urlencode({'title': gap.question[:300]})}",
        "days": retrieval_settings().search_log_days,
    }


def log_warning() -> str:
    """Return why questions cannot be grouped with the settings in force, empty if they can."""
    settings = retrieval_settings()
    if not settings.is_search_logged:
        return "Searches are not logged (IS_SEARCH_LOGGED), so nothing new is found here."
    if settings.search_log_questions == "hashed":
        return (
            "Questions are kept as hashes only (SEARCH_LOG_QUESTIONS): their meaning is not known,"
            " so they cannot be grouped."
        )
    return ""


def _preview(question: str) -> str:
    return f"{reverse('preview')}?{urlencode({'question': question})}"


def _weeks(gap: KnowledgeGap, *, now: datetime) -> Iterator[dict[str, Any]]:
    today = timezone.localtime(now)
    monday = (today - timedelta(days=today.weekday())).date()
    first = monday - timedelta(weeks=SHOWN_WEEKS - 1)
    searches = SearchLog.objects.filter(gap_question__gap=gap, created_at__date__gte=first)
    counts = {
        row["week"].date(): row["asked"]
        for row in searches.order_by()
        .annotate(week=TruncWeek("created_at"))
        .values("week")
        .annotate(asked=Count("pk"))
    }
    most = max(counts.values(), default=0)
    for number in range(SHOWN_WEEKS):
        week = first + timedelta(weeks=number)
        asked = counts.get(week, 0)
        yield {"from": week, "asked": asked, "height": round(100 * asked / most) if most else 0}
