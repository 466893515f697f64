"""Reads what curators taught about names and words."""

from collections.abc import Collection, Mapping
from uuid import UUID

from knowledge.models import SourceType
from knowledge.services.entities import (
    find_entity_ids,
    find_similar_names,
    find_similar_titles,
    find_unused_words,
)
from retrieval.conf import retrieval_settings
from retrieval.models import Intent, Synonym
from retrieval.query.entities import possible_names
from retrieval.query.filters import readable_sources
from retrieval.query.spelling import (
    MOST_WRONG,
    misspelt_names,
    words_to_check,
    words_to_compare,
)
from retrieval.query.steps import Step
from retrieval.query.vocabulary import (
    IntentRule,
    SimilarName,
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


def load_sources(readable_with: frozenset[str]) -> tuple[SourceName, ...]:
    """Return the sources of which a reader with these tags may know."""
    rows = readable_sources(readable_with).order_by("id").values_list("id", "name")
    return tuple(
        SourceName(source_id=source_id, name=name) for source_id, name in rows[:MOST_SOURCES]
    )


def load_types() -> tuple[TypeName, ...]:
    """Return the kinds of source."""
    rows = SourceType.objects.order_by("slug").values_list("slug", "label")
    return tuple(TypeName(slug=slug, label=label) for slug, label in rows)


def load_unused_words(question: str, *, steps: frozenset[Step]) -> frozenset[str]:
    """Return the words of the question, out of those that may be slips, that no document holds."""
    names = words_to_check(question) if Step.ENTITIES in steps else []
    words = words_to_compare(question) if Step.TITLES in steps else []
    return find_unused_words([*names, *words])


def load_similar_titles(
    question: str, *, unused: Collection[str], readable_with: frozenset[str]
) -> dict[str, tuple[str, ...]]:
    """Return titles that hold something like the words of the question that no document holds."""
    words = [word for word in words_to_compare(question) if word in unused][:MOST_WRONG]
    found = find_similar_titles(words, readable_with=readable_with)
    return {word: tuple(titles) for word, titles in found.items()}


def load_similar_names(
    question: str, *, unused: frozenset[str], entities: Mapping[str, tuple[UUID, ...]]
) -> dict[str, tuple[SimilarName, ...]]:
    """Return names of entities nearly like the names in the question that nobody goes by."""
    known = [name for name, ids in entities.items() if ids]
    unused = unused & set(words_to_check(question))
    names = misspelt_names(question, unused=unused, known=known) if unused else {}
    return {
        asked: tuple(SimilarName(name=name, entity_id=entity_id) for name, entity_id in similar)
        for asked, similar in find_similar_names(names).items()
    }


def load_vocabulary(
    question: str, *, readable_with: frozenset[str], steps: frozenset[Step]
) -> Vocabulary:
    """Return what the steps may read out of the question; a reader only knows what it may read."""
    reads_sources = Step.SOURCES in steps
    reads_entities = Step.ENTITIES in steps
    entities = find_entity_ids(possible_names(question)) if reads_entities else {}
    unused = load_unused_words(question, steps=steps)
    return Vocabulary(
        sources=load_sources(readable_with) if reads_sources else (),
        types=load_types() if reads_sources else (),
        entities=entities,
        similar=(
            load_similar_names(question, unused=unused, entities=entities) if reads_entities else {}
        ),
        titles=(
            load_similar_titles(question, unused=unused, readable_with=readable_with)
            if Step.TITLES in steps
            else {}
        ),
        intents=load_intents() if Step.INTENTS in steps else (),
        synonyms=load_synonyms() if Step.SYNONYMS in steps else (),
        fiscal_year_first_month=retrieval_settings().fiscal_year_first_month,
    )
