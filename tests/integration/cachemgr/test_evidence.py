"""Answers fall with their evidence: changes made through the services of knowledge."""

from datetime import timedelta

import pytest

from cachemgr.exceptions import StaleEvidenceError
from cachemgr.keys import Scope
from cachemgr.models import CachedResponse, InvalidationReason
from cachemgr.types import HitKind, MissReason
from knowledge.embedding.hashing import HashingEmbedder
from knowledge.models import EVERYONE, Chunk
from knowledge.services import (
    delete_document,
    delete_source,
    find_active_space,
    retire_document,
    set_access_tags,
    set_document_trust,
    switch_chunk,
    update_source,
)
from retrieval.types import Filters
from tests.integration.cachemgr.conftest import NOW, Conversation, put

pytestmark = pytest.mark.django_db

POLICY = "# Refunds\n\nWhat the refund period is: 14 days."
OTHER = "# Parking\n\nVisitors park behind the building."


@pytest.fixture
def policy(source):
    put(source, "parking.md", OTHER)
    return put(source, "policy.md", POLICY)


@pytest.fixture
def talk(policy):
    scope = Scope(
        filters=Filters(access_tags=frozenset({EVERYONE})),
        profile="default",
        profile_version=1,
        space_id=find_active_space().pk,
    )
    conversation = Conversation(scope=scope, embedder=HashingEmbedder(), chunk=passage_of(policy))
    conversation.store()
    assert conversation.look_up().kind == HitKind.EXACT
    return conversation


def passage_of(document):
    return Chunk.objects.select_related("source").get(document=document)


CHANGES = {
    "edited": (
        lambda source, policy: put(source, "policy.md", POLICY.replace("14", "21")),
        InvalidationReason.CONTENT_CHANGED,
    ),
    "deleted": (
        lambda source, policy: delete_document(document=policy),
        InvalidationReason.RETIRED,
    ),
    "retired": (
        lambda source, policy: retire_document(document=policy),
        InvalidationReason.RETIRED,
    ),
    "passage switched off": (
        lambda source, policy: switch_chunk(chunk=passage_of(policy), off=True),
        InvalidationReason.SWITCHED_OFF,
    ),
    "document trusted less": (
        lambda source, policy: set_document_trust(document=policy, trust=0.1),
        InvalidationReason.TRUST_CHANGED,
    ),
    "source trusted less": (
        lambda source, policy: update_source(source=source, trust=0.1),
        InvalidationReason.TRUST_CHANGED,
    ),
    "other readers of the document": (
        lambda source, policy: set_access_tags(document=policy, access_tags=["sales"]),
        InvalidationReason.ACCESS_CHANGED,
    ),
    "other readers of the source": (
        lambda source, policy: update_source(source=source, access_tags=["sales"]),
        InvalidationReason.ACCESS_CHANGED,
    ),
    "source switched off": (
        lambda source, policy: update_source(source=source, enabled=False),
        InvalidationReason.RETIRED,
    ),
    "source deleted": (
        lambda source, policy: delete_source(source=source),
        InvalidationReason.RETIRED,
    ),
    "superseded": (
        lambda source, policy: put(
            source, "policy-2.md", "Refunds are possible within 30 days.", supersedes="policy.md"
        ),
        InvalidationReason.SUPERSEDED,
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_change__answer_is_not_served_again(talk, source, policy, name):
    change, reason = CHANGES[name]
    change(source, policy)
    assert talk.look_up().kind == HitKind.MISS
    response = CachedResponse.objects.get()
    assert response.invalidation_reason == reason
    assert response.invalidated_at is not None


def test_change__of_another_document(talk, source):
    put(source, "parking.md", OTHER.replace("behind", "beside"))
    put(source, "new.md", "Something new.")
    assert talk.look_up().kind == HitKind.EXACT


def test_change__same_content_again(talk, source):
    put(source, "policy.md", POLICY)
    assert talk.look_up().kind == HitKind.EXACT


def test_change__evidence_ends(source, policy, talk):
    until = NOW + timedelta(hours=1)
    put(source, "policy.md", POLICY, valid_until=until)
    talk.chunk = passage_of(policy)
    talk.store()
    assert talk.look_up(now=until - timedelta(seconds=1)).kind == HitKind.EXACT
    assert talk.look_up(now=until).reason == MissReason.EXPIRED


def test_change__between_offer_and_store(source, policy, talk):
    key = talk.offer()
    put(source, "policy.md", POLICY.replace("14", "21"))
    with pytest.raises(StaleEvidenceError):
        talk.store(key=key)
