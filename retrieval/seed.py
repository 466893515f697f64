"""The ranking profile and the intents every installation starts with."""

from dataclasses import dataclass

from django.db import transaction

from knowledge.models import SourceType
from retrieval.models import Intent, ProfileStatus, RankingProfile
from retrieval.services import save_profile

DEFAULT_SLUG = "balanced"


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentSeed:
    """An intent before a curator changes it."""

    slug: str
    label: str
    keywords: tuple[str, ...]
    preferred: tuple[str, ...]
    avoided: tuple[str, ...] = ()
    boost: float = 0.05


INTENTS = (
    IntentSeed(
        slug="news",
        label="News",
        keywords=("news", "announced", "announcement", "press release"),
        preferred=("news_article", "blog_post"),
        boost=0.08,
    ),
    IntentSeed(
        slug="people",
        label="People",
        keywords=("chief executive", "CEO", "CFO", "CTO", "job title", "contact person"),
        preferred=("linkedin", "crm_record"),
    ),
    IntentSeed(
        slug="technology",
        label="Technology",
        keywords=("tech stack", "programming language", "repository", "open source"),
        preferred=("github", "blog_post"),
    ),
    IntentSeed(
        slug="hiring",
        label="Hiring",
        keywords=("hiring", "job opening", "job openings", "open positions", "vacancies"),
        preferred=("job_board", "linkedin"),
        boost=0.08,
    ),
    IntentSeed(
        slug="company-profile",
        label="Company profile",
        keywords=("headquarters", "founded", "employees", "funding", "investors"),
        preferred=("crunchbase", "company_website"),
    ),
    IntentSeed(
        slug="feedback",
        label="Feedback",
        keywords=("complaint", "complaints", "complained", "feedback", "unhappy"),
        preferred=("support_ticket", "call_note", "email"),
        avoided=("company_website",),
        boost=0.08,
    ),
)


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


@transaction.atomic
def seed_intents() -> None:
    """Create the intents that are missing; edits made since are kept."""
    types = {kind.slug: kind for kind in SourceType.objects.all()}
    existing = set(Intent.objects.values_list("slug", flat=True))
    for seed in INTENTS:
        if seed.slug in existing:
            continue
        intent = Intent.objects.create(
            slug=seed.slug, label=seed.label, keywords=list(seed.keywords), boost=seed.boost
        )
        intent.preferred_types.set(types[slug] for slug in seed.preferred if slug in types)
        intent.avoided_types.set(types[slug] for slug in seed.avoided if slug in types)
