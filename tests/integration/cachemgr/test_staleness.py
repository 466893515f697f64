"""Hundreds of changes in random order: none leaves an answer that its evidence no longer bears."""

import random
from datetime import timedelta

import pytest

from cachemgr.keys import Scope
from cachemgr.types import HitKind
from knowledge.embedding.hashing import HashingEmbedder
from knowledge.models import EVERYONE, Chunk, Document, SourceType
from knowledge.services import (
    create_source,
    delete_document,
    delete_source,
    find_active_space,
    retire_document,
    set_access_tags,
    set_document_trust,
    switch_chunk,
    update_source,
)
from knowledge.services.decisions import set_entities
from knowledge.services.sources import update_source_type
from retrieval.types import Filters
from tests.factories.knowledge import EntityFactory
from tests.integration.cachemgr.conftest import NOW, QUESTION, Conversation, put

pytestmark = pytest.mark.django_db

# Each round in a transaction of its own: what one leaves behind slows down the next changes.
ROUNDS = 10
CHANGES_PER_ROUND = 50
DAYS = "The refund period is {days} days."


class Shelf:
    """One source with the policy that the answer cites."""

    def __init__(self, number, chance):
        self.source = create_source(
            name=f"Handbook {number}", type_slug="company_website", trust=0.8
        )
        self.chance = chance
        self.days = chance.randrange(10, 1_000)
        self.put("policy.md", DAYS.format(days=self.days))

        self.put("other.md", DAYS.format(days=self.days + 1), trust=0.2)

    def put(self, name, text, **values):
        put(self.source, name, text, **values)

    @property
    def policy(self):
        return Document.objects.get(source=self.source, external_id="policy.md")

    @property
    def other(self):
        return Document.objects.get(source=self.source, external_id="other.md")

    @property
    def passage(self):
        return Chunk.objects.select_related("source").get(document=self.policy)

    def other_days(self):
        return self.days + self.chance.randrange(1, 1_000)

    def lower(self):
        return self.chance.uniform(0.0, 0.79)


def edit(shelf):
    shelf.put("policy.md", DAYS.format(days=shelf.other_days()))


def remove(shelf):
    delete_document(document=shelf.policy)


def retire(shelf):
    retire_document(document=shelf.policy)


def switch_off(shelf):
    switch_chunk(chunk=shelf.passage, off=True)


def supersede(shelf):
    shelf.put("new.md", DAYS.format(days=shelf.other_days()), supersedes="policy.md")


def end(shelf):
    shelf.put(
        "policy.md",
        DAYS.format(days=shelf.days),
        valid_until=NOW - timedelta(days=shelf.chance.randrange(1, 100)),
    )


def trust_document_less(shelf):
    set_document_trust(document=shelf.policy, trust=shelf.lower())


def trust_source_less(shelf):
    update_source(source=shelf.source, trust=shelf.lower())


def lower_authority(shelf):
    update_source_type(source_type=shelf.source.source_type, authority=shelf.lower())


def close_document(shelf):
    set_access_tags(document=shelf.policy, access_tags=["hr"])


def close_source(shelf):
    update_source(source=shelf.source, access_tags=["hr"])


def disable_source(shelf):
    update_source(source=shelf.source, enabled=False)


def remove_source(shelf):
    delete_source(source=shelf.source)


def add_better(shelf):
    shelf.put("better.md", DAYS.format(days=shelf.other_days()))


def redate(shelf):
    shelf.put(
        "policy.md",
        DAYS.format(days=shelf.days),
        published_at=NOW - timedelta(days=shelf.chance.randrange(1, 1_000)),
    )


def start_later(shelf):
    shelf.put("policy.md", DAYS.format(days=shelf.days), valid_from=NOW - timedelta(days=1))


def link_entity(shelf):
    set_entities(document=shelf.policy, entities=[EntityFactory()])


def believe_another_more(shelf):
    set_document_trust(document=shelf.other, trust=shelf.chance.uniform(0.5, 0.79))


def link_entity_to_another(shelf):
    set_entities(document=shelf.other, entities=[EntityFactory()])


def redate_another(shelf):
    shelf.put("other.md", DAYS.format(days=shelf.days + 1), trust=0.2, published_at=NOW)


KINDS = (
    redate,
    start_later,
    link_entity,
    believe_another_more,
    link_entity_to_another,
    redate_another,
    edit,
    remove,
    retire,
    switch_off,
    supersede,
    end,
    trust_document_less,
    trust_source_less,
    lower_authority,
    close_document,
    close_source,
    disable_source,
    remove_source,
    add_better,
)


@pytest.mark.parametrize("turn", range(ROUNDS))
def test_changes__no_stale_answer(seeded, turn):
    chance = random.Random(20_310_720 + turn)
    embedder = HashingEmbedder()
    stale = []
    for number in range(CHANGES_PER_ROUND):
        kind = KINDS[number % len(KINDS)] if number < len(KINDS) else chance.choice(KINDS)
        SourceType.objects.filter(slug="company_website").update(authority=0.8)
        shelf = Shelf(number, chance)
        scope = Scope(
            filters=Filters(access_tags=frozenset({EVERYONE}), source_ids=(shelf.source.pk,)),
            profile="default",
            profile_version=1,
            space_id=find_active_space().pk,
        )
        talk = Conversation(scope=scope, embedder=embedder, chunk=shelf.passage)
        talk.store(f"For {shelf.days} days [1].")
        assert talk.look_up().kind is HitKind.EXACT
        kind(shelf)
        if talk.look_up(QUESTION).kind is not HitKind.MISS:
            stale.append((number, kind.__name__))
    assert stale == []
