"""The admin's side bar."""

from typing import Any

from django.http import HttpRequest
from django.urls import reverse_lazy


def _entry(title: str, icon: str, name: str, permission: str) -> dict[str, Any]:
    return {
        "title": title,
        "icon": icon,
        "link": reverse_lazy(f"admin:{name}"),
        "permission": lambda request: request.user.has_perm(permission),
    }


def sidebar(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the groups of links; each link shows to those who may follow it."""
    return []
