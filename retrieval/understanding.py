"""What was read out of a question, as the stages of a search take it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from uuid import UUID


class PreferenceKind(StrEnum):
    """What a preference is about; profiles say how much each counts, intents say it themselves."""

    SOURCE = "source"
    PERIOD = "period"
    INTENT = "intent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """Passages of these sources, kinds of source or days gain, or lose, a share of their relevance.

    `amount` is that share; it counts for intents only. `until` is exclusive.
    """

    kind: PreferenceKind
    name: str
    source_ids: frozenset[int] = frozenset()
    source_types: frozenset[str] = frozenset()
    since: datetime | None = None
    until: datetime | None = None
    amount: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """An entity by a name of its own; `asked` is how the question writes it, where otherwise."""

    name: str
    entity_id: UUID
    asked: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """All that one question prefers; `recency`, 0..1, is how much it asks for the newest.

    A question that names a period asks for what was so then: being fresh is no merit.
    """

    recency: float = 0.0
    names_period: bool = False
    about: tuple[About, ...] = ()
    preferred: tuple[Preference, ...] = ()


NO_PREFERENCES = Preferences()


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """Another wording, `text`, of those words of the topic that stand at `places`, from 1.

    One that nobody taught is looked up only where documents write it more often than the words.
    """

    places: tuple[int, ...]
    text: str
    is_taught: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Understanding:
    """What was read out of a question.

    `topic` is what is looked up: the question without words that were understood otherwise; empty
    for all of it. `spelt_topic` is the same with the names that are meant in place of slips; empty
    where there are none. `expansions` are other wordings of its words. `entity_ids` are the
    entities it names. `described` is what callers see of it. `reads_identifiers` and
    `tells_language` say how the topic is read: whether the parts and joins of codes are looked up,
    and whether its language is told.
    """

    topic: str = ""
    spelt_topic: str = ""
    preferences: Preferences = NO_PREFERENCES
    expansions: tuple[Expansion, ...] = ()
    entity_ids: tuple[UUID, ...] = ()
    described: Mapping[str, object] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    reads_identifiers: bool = True
    tells_language: bool = True
