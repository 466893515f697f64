"""Invalidation: by event, by hand, by feedback; in the transaction of the change."""

from uuid import uuid4

import pytest
from django.db import transaction

from cachemgr.exceptions import UnknownResponseError
from cachemgr.models import CachedResponse, CacheEvent, InvalidationReason
from cachemgr.services import forget, invalidate_citing, judge_response, offer
from cachemgr.services.invalidation import REASONS
from cachemgr.types import HitKind, MissReason
from knowledge.models import EVERYONE
from knowledge.signals import ChangeReason, ContentChange, content_changed
from tests.factories.knowledge import ChunkFactory
from tests.integration.cachemgr.conftest import NOW, QUESTION, offered, with_tags

pytestmark = pytest.mark.django_db

TAGS = frozenset({EVERYONE})


def announce(reason, **changed):
    content_changed.send(sender="knowledge", change=ContentChange(reason=reason, **changed))


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        (ChangeReason.UPDATED, InvalidationReason.CONTENT_CHANGED),
        (ChangeReason.REMOVED, InvalidationReason.RETIRED),
        (ChangeReason.RETIRED, InvalidationReason.RETIRED),
        (ChangeReason.RESTORED, InvalidationReason.CONTENT_CHANGED),
        (ChangeReason.SUPERSEDED, InvalidationReason.SUPERSEDED),
        (ChangeReason.TRUST, InvalidationReason.TRUST_CHANGED),
        (ChangeReason.ACCESS, InvalidationReason.ACCESS_CHANGED),
        (ChangeReason.SWITCHED_OFF, InvalidationReason.SWITCHED_OFF),
    ],
)
def test_content_changed__answer_citing_the_chunk(conversation, reason, expected):
    response = conversation.store()
    announce(reason, chunk_ids=(conversation.chunk.pk,))
    response.refresh_from_db()
    assert response.invalidation_reason == expected
    assert response.invalidated_at is not None
    assert conversation.look_up().reason == MissReason.NO_MATCH


def test_content_changed__added(conversation):
    conversation.store()
    announce(ChangeReason.ADDED, chunk_ids=(conversation.chunk.pk,))
    assert conversation.look_up().kind == HitKind.EXACT


def test_content_changed__every_reason_is_decided_on():
    assert set(ChangeReason) - set(REASONS) == {ChangeReason.ADDED}


def test_content_changed__other_chunk_of_the_document(conversation):
    other = ChunkFactory(document=conversation.chunk.document)
    conversation.store()
    announce(
        ChangeReason.UPDATED,
        chunk_ids=(other.pk,),
        document_ids=(other.document_id,),
        source_id=other.source_id,
    )
    assert conversation.look_up().kind == HitKind.EXACT


@pytest.mark.parametrize("field", ["document_ids", "source_id"])
def test_content_changed__document_or_source_without_chunks(conversation, field):
    conversation.store()
    announce(ChangeReason.TRUST, **{field: (0,) if field == "document_ids" else 0})
    assert conversation.look_up().kind == HitKind.EXACT
    chunk = conversation.chunk
    changed = (chunk.document_id,) if field == "document_ids" else chunk.source_id
    announce(ChangeReason.TRUST, **{field: changed})
    assert conversation.look_up().kind == HitKind.MISS


@pytest.mark.django_db(transaction=True)
def test_content_changed__undone_with_the_change(conversation):
    conversation.store()
    with transaction.atomic():
        announce(ChangeReason.UPDATED, chunk_ids=(conversation.chunk.pk,))
        assert not CachedResponse.objects.live().exists()
        transaction.set_rollback(True)
    assert conversation.look_up().kind == HitKind.EXACT


def test_content_changed__passage_that_is_one_of_several_under_a_number(conversation):
    neighbour = ChunkFactory(document=conversation.chunk.document)
    key = offer(
        question=QUESTION,
        scope=conversation.scope,
        vector=conversation.embedder.embed_query(QUESTION),
        evidence=[offered(conversation.chunk), offered(neighbour)],
        now=NOW,
    )
    conversation.store(key=key)
    announce(ChangeReason.UPDATED, chunk_ids=(neighbour.pk,))
    assert conversation.look_up().kind == HitKind.MISS


def test_invalidate_citing__bounded_statements(conversation, django_assert_num_queries):
    conversation.store()
    ids = (*range(10_000_000, 10_025_000), conversation.chunk.pk)
    with django_assert_num_queries(3):
        change = ContentChange(reason=ChangeReason.UPDATED, chunk_ids=ids)
        assert invalidate_citing(change=change, now=NOW) == 1


def test_content_changed__removed_erases_what_was_made_of_it(conversation):
    withdrawn = conversation.store("First [1].")
    live = conversation.store("Second [1].")
    announce(ChangeReason.REMOVED, chunk_ids=(conversation.chunk.pk,))
    for response in (withdrawn, live):
        response.refresh_from_db()
        assert (response.answer, response.invalidated_at is None) == ("", False)
    assert [row.content_hash for row in live.citations.all()] == [conversation.chunk.content_hash]


def test_content_changed__retired_keeps_the_text_until_it_is_purged(conversation):
    response = conversation.store()
    announce(ChangeReason.RETIRED, chunk_ids=(conversation.chunk.pk,))
    response.refresh_from_db()
    assert response.answer != ""


def test_invalidate_citing__counts_an_answer_once(conversation):
    other = ChunkFactory()
    conversation.store("Both [1][2].", chunks=[conversation.chunk, other])
    change = ContentChange(reason=ChangeReason.UPDATED, chunk_ids=(conversation.chunk.pk, other.pk))
    assert invalidate_citing(change=change, now=NOW) == 1
    assert invalidate_citing(change=change, now=NOW) == 0


def test_forget__then_ask(conversation):
    response = conversation.store()
    forget(response_id=response.pk, now=NOW)
    response.refresh_from_db()
    assert response.invalidation_reason == InvalidationReason.FORGOTTEN
    assert (response.question, response.answer) == (QUESTION, "")
    assert conversation.look_up().reason == MissReason.NO_MATCH
    with pytest.raises(UnknownResponseError):
        forget(response_id=response.pk, now=NOW)


def test_forget__of_other_readers(conversation):
    response = conversation.store(scope=with_tags(conversation.scope, EVERYONE, "sales"))
    with pytest.raises(UnknownResponseError):
        forget(response_id=response.pk, now=NOW, reader_tags=TAGS)
    assert CachedResponse.objects.live().exists()


def test_judge_response__wrong(conversation):
    response = conversation.store()
    judge_response(response_id=response.pk, verdict="wrong", reader_tags=TAGS, now=NOW)
    response.refresh_from_db()
    assert response.invalidation_reason == InvalidationReason.FEEDBACK
    assert list(CacheEvent.objects.values_list("outcome", flat=True)) == ["said_wrong"]


def test_judge_response__right(conversation):
    response = conversation.store()
    judge_response(response_id=response.pk, verdict="right", reader_tags=TAGS, now=NOW)
    assert conversation.look_up().kind == HitKind.EXACT
    with pytest.raises(UnknownResponseError):
        judge_response(response_id=uuid4(), verdict="right", reader_tags=TAGS, now=NOW)
