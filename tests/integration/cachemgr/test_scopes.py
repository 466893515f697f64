"""Answers never cross scopes, whichever part of the scope differs."""

import random
from dataclasses import replace
from datetime import date, timedelta
from uuid import UUID

import pytest

from cachemgr.keys import Scope
from cachemgr.models import CachedResponse
from cachemgr.types import HitKind
from knowledge.models import EVERYONE, EmbeddingSpace
from retrieval.query.steps import EVERY_STEP, NO_STEP, Step
from retrieval.types import Filters
from tests.integration.cachemgr.conftest import NOW, OTHER_WORDS, QUESTION

pytestmark = pytest.mark.django_db

TRIALS = 1_000
STORED = 40

FILTERS = {
    "access_tags": [
        frozenset({EVERYONE, *tags})
        for tags in ((), ("north",), ("south",), ("north", "pricing"), ("south", "pricing"))
    ],
    "entity_ids": [(), (UUID(int=1),), (UUID(int=2),), (UUID(int=1), UUID(int=2))],
    "source_ids": [(), (1,), (2,), (1, 2)],
    "source_type_ids": [(), (1,), (2,)],
    "since": [None, NOW - timedelta(days=30), NOW - timedelta(days=31)],
    "until": [None, NOW, NOW + timedelta(microseconds=1)],
    "known_by": [None, NOW],
}
SCOPE = {
    "profile": ["balanced", "fresh"],
    "profile_version": [1, 2],
    "steps": [EVERY_STEP, NO_STEP, EVERY_STEP - {Step.SYNONYMS}],
    "language": ["", "en", "de"],
    "conversation_id": ["", "c-1", "c-2"],
    "chat_model": ["", "m-1", "m-2"],
    "asked_on": [None, date(2031, 7, 20), date(2031, 7, 21)],
}


def any_scope(chance, space_ids):
    filters = Filters(**{name: chance.choice(values) for name, values in FILTERS.items()})
    parts = {name: chance.choice(values) for name, values in SCOPE.items()}
    return Scope(filters=filters, space_id=chance.choice(space_ids), **parts)


def neighbour_of(scope, chance, space_ids):
    """Return the scope with one part changed."""
    name = chance.choice([*FILTERS, *SCOPE, "space_id"])
    if name in FILTERS:
        others = [value for value in FILTERS[name] if value != getattr(scope.filters, name)]
        filters = replace(scope.filters, **{name: chance.choice(others)})
        return replace(scope, filters=filters)
    values = space_ids if name == "space_id" else SCOPE[name]
    others = [value for value in values if value != getattr(scope, name)]
    return replace(scope, **{name: chance.choice(others)})


def test_look_up__no_hit_across_scopes(conversation, settings):
    settings.CRMIND_CACHE = {"SIMILARITY_THRESHOLD": 0.6}
    type(conversation.chunk).objects.update(access_tags=[EVERYONE])
    other = EmbeddingSpace.objects.create(provider="hashing", model="other", dimensions=384)
    space_ids = [conversation.scope.space_id, other.pk]
    chance = random.Random(61)
    scopes = []
    for _ in range(STORED):
        scope = any_scope(chance, space_ids[:1])
        if scope not in scopes:
            scopes.append(scope)
            conversation.store("For 14 days [1].", scope=scope)
    assert CachedResponse.objects.live().count() == len(scopes)

    crossed = []
    for _ in range(TRIALS):
        asked = neighbour_of(chance.choice(scopes), chance, space_ids)
        if asked in scopes:
            continue
        question = chance.choice([QUESTION, OTHER_WORDS])
        loosened = chance.choice([0.0, 0.1])
        lookup = conversation.look_up(question, scope=asked, similarity_threshold=loosened)
        if lookup.kind is not HitKind.MISS:
            crossed.append(asked)
    assert crossed == []
    for scope in scopes:
        assert conversation.look_up(scope=scope).kind is HitKind.EXACT
        assert conversation.look_up(OTHER_WORDS, scope=scope).kind is HitKind.SEMANTIC
