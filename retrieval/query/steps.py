"""The steps of understanding a question, each of which a caller may leave out. Pure."""

from collections.abc import Iterable
from enum import StrEnum

from retrieval.exceptions import InvalidFilterError

FIELD = "understanding"


class Step(StrEnum):
    """What is read out of a question beside its topic, and how the topic is read."""

    RECENCY = "recency"
    DATES = "dates"
    ENTITIES = "entities"
    SOURCES = "sources"
    TITLES = "titles"
    SYNONYMS = "synonyms"
    INTENTS = "intents"
    IDENTIFIERS = "identifiers"
    LANGUAGE = "language"


EVERY_STEP = frozenset(Step)
NO_STEP: frozenset[Step] = frozenset()


def steps_without(names: Iterable[str]) -> frozenset[Step]:
    """Return every step but those named. Raises InvalidFilterError for a name that is none."""
    return EVERY_STEP - {_step(name) for name in names}


def _step(name: str) -> Step:
    try:
        return Step(name)
    except ValueError as error:
        message = f"There is no step {name!r} of understanding. There are {', '.join(Step)}."
        raise InvalidFilterError(message, field=FIELD) from error
