"""The kinds of source every installation starts with."""

from dataclasses import asdict, dataclass

from knowledge.models import SourceType

UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceTypeSeed:
    """A kind of source before a curator changes its values."""

    slug: str
    label: str
    authority: float
    half_life_days: float
    cache_ttl_days: float | None = None


SOURCE_TYPES = (
    SourceTypeSeed(
        slug="news_article",
        label="News article",
        authority=0.90,
        half_life_days=14,
        cache_ttl_days=1,
    ),
    SourceTypeSeed(
        slug="linkedin", label="LinkedIn", authority=0.85, half_life_days=30, cache_ttl_days=3
    ),
    SourceTypeSeed(
        slug="company_website", label="Company website", authority=0.80, half_life_days=180
    ),
    SourceTypeSeed(slug="crunchbase", label="Crunchbase", authority=0.80, half_life_days=90),
    SourceTypeSeed(slug="github", label="GitHub", authority=0.75, half_life_days=90),
    SourceTypeSeed(slug="blog_post", label="Blog post", authority=0.60, half_life_days=60),
    SourceTypeSeed(
        slug="job_board", label="Job board", authority=0.60, half_life_days=30, cache_ttl_days=3
    ),
    SourceTypeSeed(slug="email", label="E-mail", authority=0.70, half_life_days=45),
    SourceTypeSeed(slug="call_note", label="Call note", authority=0.75, half_life_days=45),
    SourceTypeSeed(
        slug="support_ticket", label="Support ticket", authority=0.70, half_life_days=30
    ),
    SourceTypeSeed(slug="contract", label="Contract", authority=0.95, half_life_days=730),
    SourceTypeSeed(
        slug="crm_record", label="CRM record", authority=0.90, half_life_days=60, cache_ttl_days=1
    ),
    SourceTypeSeed(slug=UNKNOWN, label="Unknown", authority=0.30, half_life_days=60),
)


def seed_source_types() -> int:
    """Create the source types that are missing and return how many; others stay as edited."""
    missing = {seed.slug: seed for seed in SOURCE_TYPES}
    for slug in SourceType.objects.filter(slug__in=missing).values_list("slug", flat=True):
        del missing[slug]
    SourceType.objects.bulk_create(
        [SourceType(**asdict(seed)) for seed in missing.values()], ignore_conflicts=True
    )
    return len(missing)
