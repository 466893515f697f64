"""The ranking profiles and the intents every installation starts with."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from knowledge.models import SourceType
from retrieval.exceptions import UnknownProfileError
from retrieval.models import Intent, ProfileStatus, RankingProfile
from retrieval.ranking.profile import Profile
from retrieval.services import save_profile

DEFAULT_SLUG = "balanced"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileSeed:
    """A ranking profile before a curator changes it: the defaults, but for these `values`."""

    slug: str
    label: str
    description: str
    values: Mapping[str, Any] = field(default_factory=dict)


PROFILES = (
    ProfileSeed(
        slug=DEFAULT_SLUG,
        label="Balanced",
        description="Relevance first, then freshness, trust and authority.",
    ),
    ProfileSeed(
        slug="sales",
        label="Sales",
        description=(
            "For preparing a call or an offer: what is new about an account counts more than who"
            " said it, undated passages count less, and several sources share the page."
        ),
        values={
            "relevance_weight": 0.35,
            "freshness_weight": 0.45,
            "trust_weight": 0.15,
            "authority_weight": 0.05,
            "undated_freshness": 0.3,
            "recency_half_life_days": 14.0,
            "document_cap": 2,
            "source_cap": 5,
        },
    ),
    ProfileSeed(
        slug="support",
        label="Support",
        description=(
            "For solving a ticket: error codes and words count more than meaning, trusted"
            " instructions more than new ones, and one manual may fill half the page. Evidence"
            " has to be better to suffice: a wrong instruction does harm."
        ),
        values={
            "vector_weight": 0.4,
            "keyword_weight": 0.6,
            "freshness_weight": 0.15,
            "trust_weight": 0.30,
            "authority_weight": 0.15,
            "document_cap": 5,
            "answerable_confidence": 0.80,
        },
    ),
    ProfileSeed(
        slug="legal",
        label="Legal",
        description=(
            "For contracts and obligations: the exact wording counts more than meaning, the"
            " authority of a source far more than its age, and more of one document is read."
            " What replaces what decides, not what is newer. Evidence has to be better to suffice."
        ),
        values={
            "vector_weight": 0.4,
            "keyword_weight": 0.6,
            "freshness_weight": 0.05,
            "trust_weight": 0.20,
            "authority_weight": 0.35,
            "recency_weight": 0.5,
            "recency_half_life_days": 180.0,
            "document_cap": 6,
            "answerable_confidence": 0.80,
            "context_tokens": 6_000,
            "context_passages": 12,
        },
    ),
)


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
    """Create the profiles that are missing; edits made since are kept.

    The first one becomes the default, unless there is a default already.
    """
    existing = set(RankingProfile.objects.values_list("slug", flat=True))
    has_default = RankingProfile.objects.filter(is_default=True).exists()
    for seed in PROFILES:
        if seed.slug in existing:
            continue
        save_profile(
            profile=None,
            changes={
                "slug": seed.slug,
                "label": seed.label,
                "description": seed.description,
                "status": ProfileStatus.PUBLISHED.value,
                "is_default": seed.slug == DEFAULT_SLUG and not has_default,
                **seed.values,
            },
        )


def shipped_profile(slug: str = DEFAULT_SLUG) -> Profile:
    """Return a profile as it is shipped, whatever a curator made of it.

    Raises UnknownProfileError.
    """
    for seed in PROFILES:
        if seed.slug == slug:
            return Profile(slug=seed.slug, label=seed.label, **seed.values)
    slugs = ", ".join(seed.slug for seed in PROFILES)
    message = f"There is no shipped ranking profile {slug!r}. Shipped are: {slugs}."
    raise UnknownProfileError(message, field="profile")


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
