"""Keeps what comparisons of the vector index with exact scans found."""

from collections.abc import Mapping, Sequence

from django.db import transaction

from retrieval.models import IndexCheck

KEPT_CHECKS = 100


@transaction.atomic
def save_index_check(
    *,
    embedding_model: str,
    floor: float,
    recalls: Mapping[str, float],
    faults: Sequence[str],
) -> IndexCheck:
    """Keep one comparison, and of the earlier ones the newest KEPT_CHECKS."""
    check = IndexCheck.objects.create(
        embedding_model=embedding_model, floor=floor, recalls=dict(recalls), faults=list(faults)
    )
    kept = IndexCheck.objects.order_by("-id").values("pk")[:KEPT_CHECKS]
    IndexCheck.objects.exclude(pk__in=kept).delete()
    return check
