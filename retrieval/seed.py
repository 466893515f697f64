"""The ranking profiles every installation starts with."""

from django.db import transaction

from retrieval.models import ProfileStatus, RankingProfile
from retrieval.services import save_profile

DEFAULT_SLUG = "balanced"


@transaction.atomic
def seed_profiles() -> None:
    """Create the default profile if it is missing; edits made since are kept."""
    if RankingProfile.objects.filter(slug=DEFAULT_SLUG).exists():
        return
    has_default = RankingProfile.objects.filter(is_default=True).exists()
    save_profile(
        profile=None,
        changes={
            "slug": DEFAULT_SLUG,
            "label": "Balanced",
            "description": "Relevance first, then freshness, trust and authority.",
            "status": ProfileStatus.PUBLISHED.value,
            "is_default": not has_default,
        },
    )
