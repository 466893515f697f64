"""The first page of the admin: what there is, how it is used, and what asks for attention."""

from typing import Any

from django.http import HttpRequest
from django.utils import timezone

from crmind.dashboard.attention import latest_runs, sources_to_look_at
from crmind.dashboard.health import describe_health
from crmind.dashboard.stock import describe_stock
from crmind.dashboard.usage import describe_usage

__all__ = ["dashboard"]


def dashboard(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Add what the user may see to the context of the first page."""
    user: Any = request.user
    now = timezone.now()
    if user.has_perm("knowledge.view_document"):
        context["stock"] = describe_stock(user, now=now)
    if user.has_perm("retrieval.view_searchlog"):
        context["usage"] = describe_usage(now=now)
    if user.has_perm("knowledge.view_source"):
        context["sources_to_look_at"] = sources_to_look_at()
    if user.has_perm("knowledge.view_ingestionrun"):
        context["latest_runs"] = latest_runs()
    if user.has_perm("knowledge.view_embeddingspace"):
        context["health"] = describe_health(now=now)
    return context
