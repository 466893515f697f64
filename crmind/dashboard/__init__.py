"""The first page of the admin: what there is, how it is used, and what asks for attention."""

from typing import Any

from django.http import HttpRequest
from django.utils import timezone

from crmind.dashboard.attention import latest_runs, sources_in_trouble, sources_to_review
from crmind.dashboard.health import describe_health
from crmind.dashboard.stock import describe_stock
from crmind.dashboard.usage import describe_usage

__all__ = ["dashboard"]


def dashboard(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Add what the user may see to the context of the first page."""
    user: Any = request.user
    now = timezone.now()
    if user.has_perm("knowledge.view_document"):
        context["stock"] = describe_stock(now=now)
    if user.has_perm("retrieval.view_searchlog"):
        context["usage"] = describe_usage(now=now)
    if user.has_perm("knowledge.view_source"):
        context["sources_in_trouble"] = sources_in_trouble()
        context["sources_to_review"] = sources_to_review()
    if user.has_perm("knowledge.view_ingestionrun"):
        context["latest_runs"] = latest_runs()
    if user.has_perm("knowledge.view_embeddingspace"):
        context["health"] = describe_health(now=now)
    return context
