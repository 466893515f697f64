"""From what a caller asks to a query that can be searched; everything wrong is told by field."""

import unicodedata
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from knowledge.lexical import normalise_text
from retrieval.conf import retrieval_settings
from retrieval.exceptions import InvalidFilterError, InvalidQuestionError
from retrieval.query.filters import (
    allowed_tags,
    resolve_entity,
    resolve_source_types,
    resolve_sources,
)
from retrieval.query.moments import Moment, after, end_of, start_of
from retrieval.query.steps import EVERY_STEP, Step
from retrieval.query.teaching import load_vocabulary
from retrieval.query.understand import understand
from retrieval.types import Filters, Query
from retrieval.understanding import Understanding

FIELD = "question"
_CONTROL = "Cc"
_SURROGATE = "Cs"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """A search as a caller asks for it; nothing of it is checked yet.

    `entity` is a name, an alias, an external id or a UUID; `types` are slugs, `sources` names.
    `since` and `until` are inclusive. `access_tags` narrows what the reader may see; None leaves it
    as it is. `as_of` asks as if it were that instant. An empty `profile` is the default one.
    `steps` are those of understanding the question; without any it is looked up as it stands.
    """

    question: str
    entity: str = ""
    types: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    since: Moment | None = None
    until: Moment | None = None
    access_tags: frozenset[str] | None = None
    as_of: datetime | None = None
    top_k: int = 10
    profile: str = ""
    steps: frozenset[Step] = EVERY_STEP


def clean_question(text: str) -> str:
    """Return the question normalised, on one line. Raises InvalidQuestionError.

    Touches neither database nor embedder.
    """
    most = retrieval_settings().max_question_characters
    if len(text) > most:
        message = f"The question has {len(text):,} characters; at most {most:,} are allowed."
        raise InvalidQuestionError(message, field=FIELD)
    if "\0" in text:
        message = "The question holds a NUL character. Remove it."
        raise InvalidQuestionError(message, field=FIELD)
    if any(unicodedata.category(character) == _SURROGATE for character in text):
        message = "The question holds half of a character (a lone surrogate). Remove it."
        raise InvalidQuestionError(message, field=FIELD)
    visible = "".join(map(_without_control, normalise_text(text)))
    question = " ".join(visible.split())
    if not question:
        message = "The question is empty. Ask something."
        raise InvalidQuestionError(message, field=FIELD)
    return question


def as_of_moment(moment: Moment | None) -> datetime | None:
    """Return the instant that a day or an instant stands for as "now": the end of the day."""
    if moment is None:
        return None
    return end_of(moment, zone=timezone.get_current_timezone())


def build_query(request: SearchRequest, *, reader_tags: frozenset[str], now: datetime) -> Query:
    """Return the query with names resolved to ids.

    Raises InvalidQuestionError, InvalidFilterError, AccessDeniedError, UnknownEntityError or
    UnknownSourceTypeError, each naming the field and, where it is short, what exists.
    """
    question = clean_question(request.question)
    _check_top_k(request.top_k)
    since, until = _date_range(request)
    tags = allowed_tags(request.access_tags, held=reader_tags)
    filters = Filters(
        access_tags=tags,
        entity_ids=resolve_entity(request.entity),
        source_ids=resolve_sources(request.sources, readable_with=tags),
        source_type_ids=resolve_source_types(request.types),
        since=since,
        until=until,
        known_by=request.as_of,
    )
    return Query(
        question=question,
        filters=filters,
        as_of=request.as_of or now,
        top_k=request.top_k,
        understanding=_understood(question, request, tags=tags, as_of=request.as_of or now),
    )


def _understood(
    question: str, request: SearchRequest, *, tags: frozenset[str], as_of: datetime
) -> Understanding:
    steps = request.steps - _given(request)
    if not steps:
        return Understanding(reads_identifiers=False, tells_language=False)
    return understand(
        question,
        vocabulary=load_vocabulary(question, readable_with=tags, steps=steps),
        as_of=as_of.astimezone(timezone.get_current_timezone()),
        steps=steps,
    )


def _given(request: SearchRequest) -> set[Step]:
    """Return the steps that look for what the caller gave: it is not looked for in the words."""
    given = {
        Step.SOURCES: bool(request.sources or request.types),
        Step.ENTITIES: bool(request.entity),
        Step.DATES: request.since is not None or request.until is not None,
    }
    return {step for step, is_given in given.items() if is_given}


def _without_control(character: str) -> str:
    return " " if unicodedata.category(character) == _CONTROL else character


def _check_top_k(top_k: int) -> None:
    most = retrieval_settings().max_top_k
    if not 1 <= top_k <= most:
        message = f"top_k is {top_k}; it may be 1 to {most}."
        raise InvalidFilterError(message, field="top_k")


def _date_range(request: SearchRequest) -> tuple[datetime | None, datetime | None]:
    """Return the first instant of the range and the first one after it."""
    zone = timezone.get_current_timezone()
    since = None if request.since is None else start_of(request.since, zone=zone)
    until = None if request.until is None else after(request.until, zone=zone)
    if since is not None and until is not None and since >= until:
        message = (
            f"since ({request.since}) is later than until ({request.until}); exchange the two."
        )
        raise InvalidFilterError(message, field="since")
    return since, until
