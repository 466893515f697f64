"""A passage that comes into search takes out the answers it would be evidence for, no others."""

from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection

from cachemgr import receivers, tasks
from cachemgr.exceptions import StaleEvidenceError
from cachemgr.keys import Scope
from cachemgr.models import CachedResponse, InvalidationReason, StoreKey
from cachemgr.services import newcomers
from cachemgr.services.newcomers import invalidate_outdone, note_newcomers
from cachemgr.sql import statement_on_space
from cachemgr.types import HitKind
from knowledge.embedding.hashing import HashingEmbedder
from knowledge.models import EVERYONE, Chunk
from knowledge.services import (
    create_source,
    find_active_space,
    restore_document,
    retire_document,
    set_access_tags,
    switch_chunk,
    update_source,
)
from retrieval.types import Filters
from tests.integration.cachemgr.conftest import NOW, Conversation, put

pytestmark = pytest.mark.django_db

POLICY = "The refund period is 14 days."
BETTER = "The refund period is 30 days."
OTHER = "Visitors park behind the building."


def chunk_of(document):
    return Chunk.objects.select_related("source", "document").get(document=document)


@pytest.fixture
def talk(source):
    scope = Scope(
        filters=Filters(access_tags=frozenset({EVERYONE})),
        profile="default",
        profile_version=1,
        space_id=0,
    )
    chunk = chunk_of(put(source, "policy.md", POLICY))
    scope = replace(scope, space_id=find_active_space().pk)
    return Conversation(scope=scope, embedder=HashingEmbedder(), chunk=chunk)


def test_added__answer_falls(talk, source):
    response = talk.store()
    put(source, "better.md", BETTER)
    response.refresh_from_db()
    assert response.invalidation_reason == InvalidationReason.NEW_EVIDENCE
    assert talk.look_up().kind == HitKind.MISS


def test_added__about_something_else(talk, source):
    talk.store()
    put(source, "parking.md", OTHER)
    assert talk.look_up().kind == HitKind.EXACT


FAR = (
    "Visitors park behind the building, the canteen opens at noon, lifts are serviced on Mondays "
    "and keys are kept at the desk; a {first} was once discussed over a long {second} of silence."
)


def test_added__every_word_of_the_question_far_away(talk, source):
    text = FAR.format(first="refund", second="period")
    question = talk.embedder.embed_query("What is the refund period?")
    (passage, cited) = talk.embedder.embed_passages([text, POLICY])
    assert float(question @ passage) < 0.7 * float(question @ cited)
    response = talk.store()
    put(source, "few.md", FAR.format(first="refund", second="hour"))
    assert talk.look_up().kind == HitKind.EXACT
    put(source, "all.md", text)
    response.refresh_from_db()
    assert response.invalidation_reason == InvalidationReason.NEW_EVIDENCE


def test_added__every_word_of_a_question_that_is_being_answered(talk, source):
    key = talk.offer()
    chunk = chunk_of(put(source, "all.md", FAR.format(first="refund", second="period")))
    note_newcomers(chunk_ids=[chunk.pk], now=NOW)
    with pytest.raises(StaleEvidenceError):
        talk.store(key=key)


def test_added__how_near_counts_from_the_weakest_passage_cited(talk, source):
    parking = chunk_of(put(source, "parking.md", OTHER))
    response = talk.store("For 14 days [1], ask behind [2].", chunks=[talk.chunk, parking])
    question = talk.embedder.embed_query("What is the refund period?")
    (weakest,) = talk.embedder.embed_passages([OTHER])
    assert response.evidence_similarity == pytest.approx(float(question @ weakest), abs=1e-6)


def test_added__what_the_answer_cites_does_not_outdo_it(talk):
    talk.store()
    assert invalidate_outdone(chunk_ids=[talk.chunk.pk], now=NOW) == 0


LIMITS = {
    "readers": ({"access_tags": frozenset({"sales"})}, {"access_tags": ("sales",)}),
    "types": ({"source_type_ids": "type"}, {}),
    "sources": ({"source_ids": "source"}, {}),
    "since": ({"since": NOW - timedelta(days=1)}, {"published_at": NOW}),
    "until": ({"until": NOW + timedelta(days=1)}, {"published_at": NOW}),
    "known by": ({"known_by": NOW}, {"published_at": NOW}),
}
OUTSIDE = {
    "readers": {"access_tags": ("hr",)},
    "types": {"source_type": "news_article"},
    "sources": {},
    "since": {"published_at": NOW - timedelta(days=2)},
    "until": {"published_at": NOW + timedelta(days=1)},
    "known by": {"published_at": NOW + timedelta(days=2)},
}


def scoped(talk, source, name):
    filters, _ = LIMITS[name]
    ids = {"type": (source.source_type_id,), "source": (source.pk,)}
    filters = {
        field: ids[value] if isinstance(value, str) else value for field, value in filters.items()
    }
    return replace(talk.scope, filters=replace(talk.scope.filters, **filters))


@pytest.mark.parametrize("name", LIMITS)
def test_added__within_the_limits_of_the_question(talk, source, name):
    Chunk.objects.update(access_tags=[EVERYONE, "sales"])
    talk.store(scope=scoped(talk, source, name))
    put(source, "better.md", BETTER, **LIMITS[name][1])
    assert CachedResponse.objects.live().count() == 0


@pytest.mark.parametrize("name", OUTSIDE)
def test_added__outside_the_limits_of_the_question(talk, source, name):
    Chunk.objects.update(access_tags=[EVERYONE, "sales"])
    talk.store(scope=scoped(talk, source, name))
    elsewhere = create_source(name="Elsewhere", type_slug="company_website")
    put(elsewhere if name == "sources" else source, "better.md", BETTER, **OUTSIDE[name])
    assert CachedResponse.objects.live().count() == 1


def test_added__about_another_entity(talk, source):
    entity = uuid4()
    scope = replace(talk.scope, filters=replace(talk.scope.filters, entity_ids=(entity,)))
    talk.store(scope=scope)
    better = chunk_of(put(source, "better.md", BETTER))
    assert CachedResponse.objects.live().count() == 1
    Chunk.objects.filter(pk=better.pk).update(entity_ids=[uuid4(), entity])
    assert invalidate_outdone(chunk_ids=[better.pk], now=NOW) == 1


def restored(source, better):
    retire_document(document=better)
    yield
    restore_document(document=better)


def switched_on(source, better):
    switch_chunk(chunk=chunk_of(better), off=True)
    yield
    switch_chunk(chunk=chunk_of(better), off=False)


def opened(source, better):
    set_access_tags(document=better, access_tags=["hr"])
    yield
    set_access_tags(document=better, access_tags=[EVERYONE])


def source_enabled(source, better):
    update_source(source=better.source, enabled=False)
    yield
    update_source(source=better.source, enabled=True)


def source_opened(source, better):
    update_source(source=better.source, access_tags=["hr"])
    yield
    update_source(source=better.source, access_tags=[EVERYONE])


@pytest.mark.parametrize("change", [restored, switched_on, opened, source_enabled, source_opened])
def test_change__that_brings_a_passage_into_search(talk, source, change):
    elsewhere = create_source(name="Elsewhere", type_slug="company_website")
    steps = change(source, put(elsewhere, "better.md", BETTER))
    next(steps)
    response = talk.store()
    assert talk.look_up().kind == HitKind.EXACT
    assert list(steps) == []
    response.refresh_from_db()
    assert response.invalidation_reason == InvalidationReason.NEW_EVIDENCE


def test_many_answers__all_fall(talk, source, monkeypatch):
    monkeypatch.setattr(newcomers, "ANSWERS_PER_CHUNK", 2)
    for number in range(5):
        talk.store(key=talk.offer(f"What is the refund period of shop {number}?"))
    put(source, "better.md", BETTER)
    assert CachedResponse.objects.live().count() == 0


def test_between_question_and_answer(talk, source, django_capture_on_commit_callbacks):
    key = talk.offer()
    with django_capture_on_commit_callbacks(execute=True):
        put(source, "better.md", BETTER)
    with pytest.raises(StaleEvidenceError, match="may answer better"):
        talk.store(key=key)


def test_between_question_and_answer__about_something_else(
    talk, source, django_capture_on_commit_callbacks
):
    key = talk.offer()
    with django_capture_on_commit_callbacks(execute=True):
        put(source, "parking.md", OTHER)
    assert talk.store(key=key).answer
    assert StoreKey.objects.get().newcomer_similarity < 0.3


def test_note_newcomers__keeps_the_nearest_and_leaves_out_what_was_offered(talk, source):
    talk.offer()
    note_newcomers(chunk_ids=[talk.chunk.pk], now=NOW)
    assert StoreKey.objects.get().newcomer_similarity is None
    better, parking = (
        chunk_of(put(source, name, text)) for name, text in (("b.md", BETTER), ("p.md", OTHER))
    )
    note_newcomers(chunk_ids=[better.pk, parking.pk], now=NOW)
    nearest = StoreKey.objects.get().newcomer_similarity
    note_newcomers(chunk_ids=[parking.pk], now=NOW)
    assert StoreKey.objects.get().newcomer_similarity == nearest > 0.5


def test_many_chunks__are_left_to_the_worker(talk, source, monkeypatch):
    monkeypatch.setattr(receivers, "CHUNKS_PER_STATEMENT", 0)
    asked = []
    monkeypatch.setattr(
        "cachemgr.tasks.async_task", lambda name, *arguments: asked.append((name, *arguments))
    )
    monkeypatch.setattr("django.db.transaction.on_commit", lambda job: job())
    talk.store()
    better = chunk_of(put(source, "better.md", BETTER))
    assert talk.look_up().kind == HitKind.EXACT
    assert asked == [("cachemgr.tasks.check_newcomers", [better.pk])]
    tasks.check_newcomers([better.pk])
    assert talk.look_up().kind == HitKind.MISS


def test_check_source__in_batches(talk, source, monkeypatch):
    monkeypatch.setattr(newcomers, "CHUNKS_PER_STATEMENT", 1)
    put(source, "parking.md", OTHER)
    put(source, "better.md", BETTER)
    talk.store()
    tasks.check_source(source.pk)
    assert talk.look_up().kind == HitKind.MISS


def test_added__with_an_empty_cache_costs_one_look(talk, django_assert_num_queries):
    with django_assert_num_queries(1):
        assert invalidate_outdone(chunk_ids=[talk.chunk.pk], now=NOW) == 0
    with django_assert_num_queries(1):
        note_newcomers(chunk_ids=[talk.chunk.pk], now=NOW)


def test_find_outdone__runs_for_the_active_space_alone(talk, source):
    space = find_active_space()
    text = statement_on_space(
        "find_outdone", space.pk, dimensions=space.dimensions, scope="r.scope"
    )
    parameters = {"chunk_ids": [talk.chunk.pk], "depth": 5, "share": 0.7}
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {text}", parameters)
        assert "{" not in text
