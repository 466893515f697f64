"""Reads what curators taught about names and words."""

from knowledge.models import SourceType
from knowledge.services.entities import find_entity_ids
from retrieval.conf import retrieval_settings
from retrieval.models import Intent, Synonym
from retrieval.query.entities import possible_names
from retrieval.query.filters import readable_sources
from retrieval.query.vocabulary import (
    IntentRule,
    SourceName,
    SynonymRule,
    TypeName,
    Vocabulary,
)

# More sources than anyone names in a question; the rest is only reached by a filter.
MOST_SOURCES = 2_000
# The oldest count; a company's own words are hundreds.
MOST_SYNONYMS = 2_000


def load_intents() -> tuple[IntentRule, ...]:
    """Return the intents that are in use."""
    intents = Intent.objects.filter(enabled=True).order_by("slug")
    return tuple(
        IntentRule(
            name=intent.slug,
            keywords=tuple(intent.keywords),
            preferred_types=frozenset(kind.slug for kind in intent.preferred_types.all()),
            avoided_types=frozenset(kind.slug for kind in intent.avoided_types.all()),
            boost=intent.boost,
            penalty=intent.penalty,
        )
        for intent in intents.prefetch_related("preferred_types", "avoided_types")
    )


def load_synonyms() -> tuple[SynonymRule, ...]:
    """Return the synonyms that are in use."""
    rows = Synonym.objects.filter(enabled=True).order_by("id").values_list("terms", "is_one_way")
    return tuple(
        SynonymRule(terms=tuple(terms), is_one_way=is_one_way)
        for terms, is_one_way in rows[:MOST_SYNONYMS]
    )


def load_vocabulary(question: str, *, readable_with: frozenset[str]) -> Vocabulary:
    """Return what may be read out of the question; a reader only knows of what it may read."""
    sources = readable_sources(readable_with).order_by("id").values_list("id", "name")
    types = SourceType.objects.order_by("slug").values_list("slug", "label")
    return Vocabulary(
        sources=tuple(
            SourceName(source_id=source_id, name=name) for source_id, name in sources[:MOST_SOURCES]
        ),
        entities=find_entity_ids(possible_names(question)),
        intents=load_intents(),
        synonyms=load_synonyms(),
        fiscal_year_first_month=retrieval_settings().fiscal_year_first_month,
        types=tuple(TypeName(slug=slug, label=label) for slug, label in types),
    )
