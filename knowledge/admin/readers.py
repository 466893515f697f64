"""Which documents a person at the admin may read."""

from typing import Any

from django.db.models import QuerySet

from knowledge.models import EVERYONE

READ_EVERYTHING = "knowledge.read_every_document"


def reads_everything(user: Any) -> bool:
    """Return whether `user` may read documents of every access tag."""
    return bool(user.has_perm(READ_EVERYTHING))


def only_readable(queryset: QuerySet[Any], user: Any, *, field: str = "") -> QuerySet[Any]:
    """Limit rows with access tags (or whose `field` has them) to those `user` may read."""
    if reads_everything(user):
        return queryset
    lookup = f"{field}__access_tags__contains" if field else "access_tags__contains"
    return queryset.filter(**{lookup: [EVERYONE]})
