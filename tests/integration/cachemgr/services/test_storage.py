"""Storing: what is refused, what is kept, and one answer per key."""

import threading
from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection

from cachemgr.exceptions import (
    AnswerRefusedError,
    StaleEvidenceError,
    UnknownCitationError,
    UnknownStoreKeyError,
    UsedStoreKeyError,
)
from cachemgr.models import (
    CachedCitation,
    CachedResponse,
    CacheStatistic,
    InvalidationReason,
    StoreKey,
)
from cachemgr.services import offer
from cachemgr.services.counting import add_up_events
from cachemgr.types import HitKind
from crmind.exceptions import CRMindError
from knowledge.models import EVERYONE, SourceType
from tests.factories.knowledge import ChunkFactory, SourceTypeFactory
from tests.integration.cachemgr.conftest import NOW, in_seconds, with_tags

pytestmark = pytest.mark.django_db


def test_offer__without_evidence(conversation):
    key = offer(
        question="Why?",
        scope=conversation.scope,
        vector=conversation.embedder.embed_query("Why?"),
        evidence=[],
        now=NOW,
    )
    assert key is None
    assert not StoreKey.objects.exists()


def test_store_answer__keeps_what_it_cites(conversation):
    other = ChunkFactory(text="Shops decide on longer periods.")
    response = conversation.store("For 14 days [1].", chunks=[conversation.chunk, other])
    assert list(
        CachedCitation.objects.values_list(
            "response", "number", "chunk_id", "document_id", "source_id", "content_hash", "trust"
        )
    ) == [
        (
            response.pk,
            1,
            conversation.chunk.pk,
            conversation.chunk.document_id,
            conversation.chunk.source_id,
            conversation.chunk.content_hash,
            0.8,
        )
    ]


def test_store_answer__numbers_and_marks_together(conversation):
    others = ChunkFactory.create_batch(2)
    conversation.store(
        "For 14 days [1], see also [7].", chunks=[conversation.chunk, *others], citations=[3]
    )
    assert list(CachedCitation.objects.values_list("number", flat=True)) == [1, 3]


@pytest.mark.parametrize("answer", ["  ", "Error: 429", "I don't know [1].", "14 days, [1] and"])
def test_store_answer__not_worth_keeping(conversation, answer):
    with pytest.raises(AnswerRefusedError) as caught:
        conversation.store(answer)
    assert caught.value.field == "answer"
    assert not CachedResponse.objects.exists()


def test_store_answer__too_long(conversation, settings):
    answer = "Für 14 Tage [1]."  # 16 characters, 17 bytes
    settings.CRMIND_CACHE = {"MAX_ANSWER_BYTES": 16}
    with pytest.raises(AnswerRefusedError, match="17 bytes; at most 16"):
        conversation.store(answer)
    settings.CRMIND_CACHE = {"MAX_ANSWER_BYTES": 17}
    assert conversation.store(answer).answer == answer


def test_store_answer__cites_nothing(conversation):
    with pytest.raises(AnswerRefusedError, match=r"cites nothing.*\[1\]") as caught:
        conversation.store("For 14 days.")
    assert caught.value.field == "citations"


@pytest.mark.parametrize(
    ("answer", "citations"), [("For 14 days [2].", None), ("For 14 days [1].", [1, 2])]
)
def test_store_answer__unknown_number(conversation, answer, citations):
    with pytest.raises(UnknownCitationError, match=r"\[2\] was not offered"):
        conversation.store(answer, citations=citations)


def test_store_answer__other_model_than_asked_for(conversation):
    scope = replace(conversation.scope, chat_model="m-1")
    with pytest.raises(AnswerRefusedError, match=r"'m-1'.*'m-2'") as caught:
        conversation.store(scope=scope, model_name="m-2")
    assert caught.value.field == "model_name"
    assert conversation.store(scope=scope).model_name == "m-1"


def test_store_answer__unknown_key(conversation):
    with pytest.raises(UnknownStoreKeyError):
        conversation.store(key=uuid4())


def test_store_answer__expired_key(conversation, settings):
    settings.CRMIND_CACHE = {"STORE_KEY_MINUTES": 1}
    key = conversation.offer()
    with pytest.raises(UnknownStoreKeyError):
        conversation.store(key=key, now=in_seconds(60))
    conversation.store(key=key, now=in_seconds(59))


def test_store_answer__key_of_other_readers(conversation):
    scope = with_tags(conversation.scope, EVERYONE, "sales")
    with pytest.raises(UnknownStoreKeyError):
        conversation.store(key=conversation.offer(scope=scope), reader_tags=frozenset({EVERYONE}))


def test_store_answer__twice_under_one_key(conversation):
    key = conversation.offer()
    conversation.store("First [1].", key=key)
    with pytest.raises(UsedStoreKeyError):
        conversation.store("Second [1].", key=key)
    assert conversation.look_up().answer.answer == "First [1]."


def test_store_answer__refused_answer_leaves_the_key_unused(conversation):
    key = conversation.offer()
    with pytest.raises(AnswerRefusedError):
        conversation.store("", key=key)
    conversation.store("For 14 days [1].", key=key)


def test_store_answer__newer_answer_takes_the_place(conversation):
    first = conversation.store("First [1].")
    conversation.store("Second [1].", now=in_seconds(1))
    first.refresh_from_db()
    assert first.invalidation_reason == InvalidationReason.REPLACED
    assert conversation.look_up(now=in_seconds(2)).answer.answer == "Second [1]."


@pytest.mark.parametrize(
    "change",
    [
        {"content_hash": "f" * 64},
        {"is_active": False},
        {"access_tags": ["sales"]},
        {"valid_until": NOW},
    ],
)
def test_store_answer__evidence_changed_since_offered(conversation, change):
    key = conversation.offer()
    type(conversation.chunk).objects.update(**change)
    with pytest.raises(StaleEvidenceError, match=r"\[1\] has changed"):
        conversation.store(key=key)


def test_store_answer__trust_changed_since_offered(conversation):
    key = conversation.offer()
    type(conversation.chunk.source).objects.update(trust=0.9)
    with pytest.raises(StaleEvidenceError):
        conversation.store(key=key)


def test_store_answer__evidence_gone(conversation):
    key = conversation.offer()
    conversation.chunk.delete()
    with pytest.raises(StaleEvidenceError):
        conversation.store(key=key)


def test_store_answer__evidence_that_ended_before_the_time_asked_about(conversation):
    filters = replace(conversation.scope.filters, known_by=NOW - timedelta(days=30))
    type(conversation.chunk).objects.update(valid_until=NOW - timedelta(days=10))
    response = conversation.store(scope=replace(conversation.scope, filters=filters))
    assert response.expires_at == NOW + timedelta(days=7)


def test_store_answer__lives_as_long_as_its_shortest_source(conversation):
    news = ChunkFactory(
        document__source__source_type=SourceTypeFactory(slug="news_article", cache_ttl_days=0.5)
    )
    lives = [
        conversation.store(answer, chunks=[conversation.chunk, news]).expires_at - NOW
        for answer in ("Long [1].", "Short [1][2].")
    ]
    assert lives == [timedelta(days=7), timedelta(hours=12)]


def test_store_answer__ends_with_the_validity_of_its_evidence(conversation):
    SourceType.objects.update(cache_ttl_days=3)
    type(conversation.chunk).objects.update(valid_until=NOW + timedelta(days=2))
    assert conversation.store().expires_at == NOW + timedelta(days=2)


@pytest.mark.django_db(transaction=True)
def test_store_answer__many_at_once(conversation):
    shared = conversation.offer()
    keys = [shared, shared, shared, conversation.offer(), conversation.offer()]
    outcomes = run_at_once(
        [
            lambda key=key, n=n: conversation.store(f"Answer {n} [1].", key=key)
            for n, key in enumerate(keys)
        ]
    )
    kinds = sorted(type(outcome).__name__ for outcome in outcomes)
    assert kinds == ["CachedResponse"] * 3 + ["UsedStoreKeyError"] * 2
    assert CachedResponse.objects.live().count() == 1


@pytest.mark.django_db(transaction=True)
def test_look_up__counts_every_hit_of_many_at_once(conversation):
    response = conversation.store()
    outcomes = run_at_once([conversation.look_up] * 8)
    assert [lookup.kind for lookup in outcomes] == [HitKind.EXACT] * 8
    assert add_up_events() == 8
    response.refresh_from_db()
    assert response.hit_count == 8
    assert CacheStatistic.objects.get(outcome="exact").count == 8


def run_at_once(calls):
    """Call each in a thread of its own; return the results, or the errors of ours."""
    outcomes = [None] * len(calls)
    start = threading.Barrier(len(calls))

    def run(position, call):
        start.wait(timeout=10)
        try:
            outcomes[position] = call()
        except CRMindError as error:
            outcomes[position] = error
        finally:
            connection.close()

    threads = [
        threading.Thread(target=run, args=(position, call)) for position, call in enumerate(calls)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    return outcomes
