"""What the company has taught CRMind to read out of questions, as plain values. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceName:
    """A source by its name."""

    source_id: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeName:
    """A kind of source by what it is called."""

    slug: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentRule:
    """Words that tell what a question is after, and the kinds of source that answer it best."""

    name: str
    keywords: tuple[str, ...]
    preferred_types: frozenset[str] = frozenset()
    avoided_types: frozenset[str] = frozenset()
    boost: float = 0.0
    penalty: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarName:
    """A name or an alias of an entity."""

    name: str
    entity_id: UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class SynonymRule:
    """Words or phrases that mean the same; one way: only the first is expanded to the others."""

    terms: tuple[str, ...]
    is_one_way: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """All of it; what is left empty is not looked for.

    `sources` are those the reader may know of. `entities` are those that go by a name in the
    question, by that name; `similar` are names nearly like what may be a name spelt wrongly, by it;
    `titles` are those that hold something like a word that no document holds, by that word.
    """

    sources: tuple[SourceName, ...] = ()
    types: tuple[TypeName, ...] = ()
    entities: Mapping[str, tuple[UUID, ...]] = field(default_factory=dict)
    similar: Mapping[str, tuple[SimilarName, ...]] = field(default_factory=dict)
    titles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    intents: tuple[IntentRule, ...] = ()
    synonyms: tuple[SynonymRule, ...] = ()
    fiscal_year_first_month: int = 0
