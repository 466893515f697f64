"""Hears what changed in the knowledge base, inside the transaction of the change."""

from typing import Any

from django.utils import timezone

from cachemgr.services.invalidation import invalidate_citing
from knowledge.signals import ContentChange


def invalidate_on_change(*, change: ContentChange, **_: Any) -> None:
    """Take out the answers that cite what changed."""
    invalidate_citing(change=change, now=timezone.now())
