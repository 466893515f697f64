"""Look-up: exact before semantic, within the scope, only what still stands."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from uuid import uuid4

import pytest

from cachemgr.exceptions import UnknownResponseError
from cachemgr.models import CachedResponse
from cachemgr.services import read_answer
from cachemgr.services.counting import OutcomeCount, read_counts
from cachemgr.services.lookup import find_nearest, nearest_statement
from cachemgr.types import HitKind, MissReason
from knowledge.embedding.hashing import HashingEmbedder
from knowledge.exceptions import EmbeddingError
from knowledge.models import EVERYONE, SourceType
from retrieval.types import Citation
from tests.factories.knowledge import ChunkFactory
from tests.integration.cachemgr.conftest import NOW, OTHER_WORDS, QUESTION, in_seconds, with_tags

pytestmark = pytest.mark.django_db


class UnavailableEmbedder(HashingEmbedder):
    """An embedder whose model does not answer."""

    def embed_query(self, text):
        raise EmbeddingError


def counts():
    return {row.outcome: row.count for row in read_counts()}


def test_look_up__empty_cache(conversation):
    lookup = conversation.look_up()
    assert (lookup.kind, lookup.reason, lookup.answer) == (HitKind.MISS, MissReason.NO_MATCH, None)
    assert lookup.vector.tolist() == conversation.embedder.embed_query(QUESTION).tolist()


def test_look_up__exact_in_other_case_and_punctuation(conversation):
    response = conversation.store()
    lookup = conversation.look_up("  what is\tthe REFUND period ?! ", now=in_seconds(90))
    assert (lookup.kind, lookup.similarity, lookup.age_seconds) == (HitKind.EXACT, 1.0, 90.0)
    assert lookup.answer.response_id == response.pk
    assert lookup.answer.question == QUESTION
    assert lookup.answer.citations == (
        Citation(
            number=1,
            chunk_ids=(conversation.chunk.pk,),
            document_id=conversation.chunk.document_id,
            title="Refund policy",
            url="",
            source_name="Handbook",
            source_type="blog_post",
            published_at=None,
            trust=0.8,
            start=0,
            end=36,
            text="Refunds are possible within 14 days.",
        ),
    )


def test_look_up__exact_embeds_nothing(conversation, django_assert_num_queries):
    conversation.store()
    conversation.embedder = UnavailableEmbedder()
    # The answer with what it cites; then the count.
    with django_assert_num_queries(2):
        assert conversation.look_up().kind == HitKind.EXACT


def test_look_up__caller_cannot_loosen(conversation):
    conversation.store()
    lookup = conversation.look_up(OTHER_WORDS, similarity_threshold=0.1)
    assert (lookup.kind, lookup.reason) == (HitKind.MISS, MissReason.NO_MATCH)


def test_look_up__semantic(conversation, settings):
    settings.CRMIND_CACHE = {"SIMILARITY_THRESHOLD": 0.6}
    response = conversation.store()
    lookup = conversation.look_up(OTHER_WORDS)
    assert (lookup.kind, lookup.answer.response_id) == (HitKind.SEMANTIC, response.pk)
    assert 0.6 < lookup.similarity < 1.0


def test_look_up__caller_tightens(conversation, settings):
    settings.CRMIND_CACHE = {"SIMILARITY_THRESHOLD": 0.6}
    conversation.store()
    assert conversation.look_up(OTHER_WORDS, similarity_threshold=0.99).kind == HitKind.MISS


def test_look_up__guard_refuses(conversation, settings):
    settings.CRMIND_CACHE = {"SIMILARITY_THRESHOLD": 0.5}
    conversation.store()
    lookup = conversation.look_up("What is not the refund period?")
    assert (lookup.kind, lookup.reason) == (HitKind.MISS, MissReason.GUARD)
    assert lookup.refused_by == ("negation",)
    assert lookup.similarity > 0.5
    assert counts() == {"guard_negation": 1}


def test_look_up__next_nearest_when_a_guard_refuses_the_nearest(conversation, settings):
    settings.CRMIND_CACHE = {"SIMILARITY_THRESHOLD": 0.4}
    conversation.store(key=conversation.offer("What is the refund period after 30 days?"))
    right = conversation.store(key=conversation.offer("What is the period for refunds?"))
    lookup = conversation.look_up("What is the refund period?")
    assert (lookup.kind, lookup.answer.response_id) == (HitKind.SEMANTIC, right.pk)


def test_look_up__embedder_does_not_answer(conversation):
    conversation.embedder = UnavailableEmbedder()
    lookup = conversation.look_up()
    assert (lookup.kind, lookup.reason) == (HitKind.MISS, MissReason.NOT_EMBEDDED)


@pytest.mark.parametrize(
    "change",
    [
        {"profile": "other"},
        {"profile_version": 2},
        {"language": "german"},
        {"conversation_id": "c-1"},
        {"chat_model": "m-1"},
        {"asked_on": date(2031, 7, 20)},
    ],
)
def test_look_up__other_scope(conversation, change):
    conversation.store()
    other = replace(conversation.scope, **change)
    assert conversation.look_up(scope=other).reason == MissReason.NO_MATCH


@pytest.mark.parametrize(
    "change",
    [
        {"access_tags": frozenset({EVERYONE, "sales"})},
        {"entity_ids": (uuid4(),)},
        {"source_ids": (1,)},
        {"source_type_ids": (1,)},
        {"since": NOW},
        {"until": NOW},
        {"known_by": NOW},
    ],
)
def test_look_up__other_filters(conversation, change):
    conversation.store()
    other = replace(conversation.scope, filters=replace(conversation.scope.filters, **change))
    assert conversation.look_up(scope=other).reason == MissReason.NO_MATCH


def test_look_up__answers_of_one_tenant_stay_there(conversation):
    floors = {}
    for tenant, floor in (("north", 12), ("south", 19)):
        scope = with_tags(conversation.scope, EVERYONE, f"{tenant}-pricing")
        chunk = ChunkFactory(text=f"Discount floor: {floor}", access_tags=[f"{tenant}-pricing"])
        question = "What is our discount floor?"
        key = conversation.offer(question, scope=scope, chunks=[chunk])
        conversation.store(f"The floor is {floor} [1].", key=key, scope=scope)
        floors[tenant] = scope

    def ask(scope, **options):
        answer = conversation.look_up("What is our discount floor?", scope=scope, **options).answer
        return answer and answer.answer

    assert ask(floors["north"]) == "The floor is 12 [1]."
    assert ask(floors["south"]) == "The floor is 19 [1]."
    assert ask(with_tags(conversation.scope, EVERYONE, "north")) is None
    assert ask(floors["south"], similarity_threshold=0.1) == "The floor is 19 [1]."


def test_look_up__expiry_is_to_the_second_across_the_end_of_summer_time(conversation, settings):
    settings.TIME_ZONE = "Europe/Berlin"
    SourceType.objects.update(cache_ttl_days=1 / 24)
    stored = datetime(2031, 10, 26, 0, 30, tzinfo=UTC)
    conversation.store(now=stored)
    kinds = [
        conversation.look_up(now=stored + timedelta(seconds=seconds)).kind
        for seconds in (3_599, 3_600, 3_601, 3_660)
    ]
    assert kinds == [HitKind.EXACT, HitKind.MISS, HitKind.MISS, HitKind.MISS]
    assert conversation.look_up(now=stored + timedelta(hours=1)).reason == MissReason.EXPIRED


def test_look_up__hits_do_not_lengthen_life(conversation):
    SourceType.objects.update(cache_ttl_days=1)
    conversation.store()
    day = 24 * 3_600
    asked = [0, day // 3, 2 * day // 3, day - 1, day, day + 1]
    kinds = [conversation.look_up(now=in_seconds(seconds)).kind for seconds in asked]
    assert kinds == [HitKind.EXACT] * 4 + [HitKind.MISS] * 2


def test_look_up__live_answer_beside_an_expired_nearer_one(conversation, settings):
    settings.CRMIND_CACHE = {"SIMILARITY_THRESHOLD": 0.4}
    conversation.store()
    CachedResponse.objects.update(expires_at=in_seconds(1))
    live = conversation.store(key=conversation.offer("What is the period for refunds?"))
    lookup = conversation.look_up(now=in_seconds(2))
    assert (lookup.kind, lookup.answer.response_id) == (HitKind.SEMANTIC, live.pk)


def test_look_up__expired_answer_replaced_under_the_same_words(conversation):
    conversation.store("Old [1].")
    CachedResponse.objects.update(expires_at=in_seconds(1))
    conversation.store("New [1].", now=in_seconds(2))
    assert conversation.look_up(now=in_seconds(3)).answer.answer == "New [1]."


@pytest.mark.parametrize(
    "change",
    [
        {"content_hash": "f" * 64},
        {"is_active": False},
        {"access_tags": ["sales"]},
    ],
)
def test_look_up__passage_changed_without_an_event(conversation, change):
    conversation.store()
    type(conversation.chunk).objects.update(**change)
    assert conversation.look_up().reason == MissReason.EVIDENCE_CHANGED


@pytest.mark.parametrize(("trust", "kind"), [(0.7, HitKind.MISS), (0.9, HitKind.EXACT)])
def test_look_up__less_trusted_than_at_storing(conversation, trust, kind):
    conversation.store()
    source = conversation.chunk.source
    source.trust = trust
    source.save()
    assert conversation.look_up().kind == kind


def test_look_up__semantic_neighbour_whose_passage_is_gone(conversation, settings):
    settings.CRMIND_CACHE = {"SIMILARITY_THRESHOLD": 0.6}
    conversation.store()
    conversation.chunk.delete()
    assert conversation.look_up(OTHER_WORDS).reason == MissReason.EVIDENCE_CHANGED


def test_look_up__counts_hits_and_tokens(conversation):
    response = conversation.store("Fourteen days [1].")
    conversation.look_up(now=in_seconds(1))
    conversation.look_up(now=in_seconds(2))
    # Four|teen ... pieces of at most eight letters: Fourteen days [ 1 ] .
    assert read_counts() == [
        OutcomeCount(day=date(2031, 7, 20), outcome="exact", count=2, tokens_saved=12)
    ]
    read = read_answer(response_id=response.pk, reader_tags=frozenset({EVERYONE}), now=NOW)
    assert read.hit_count == 2


def test_read_answer__of_other_readers(conversation):
    scope = with_tags(conversation.scope, EVERYONE, "sales")
    response = conversation.store(scope=scope)
    read = {"response_id": response.pk, "now": NOW}
    assert read_answer(reader_tags=frozenset({EVERYONE, "sales", "hr"}), **read).answer
    with pytest.raises(UnknownResponseError):
        read_answer(reader_tags=frozenset({EVERYONE}), **read)


def test_read_answer__expired(conversation):
    response = conversation.store()
    with pytest.raises(UnknownResponseError):
        read_answer(
            response_id=response.pk,
            reader_tags=frozenset({EVERYONE}),
            now=NOW + timedelta(days=8),
        )


@pytest.mark.parametrize("all_compared", [0, 1])
def test_find_nearest__by_the_index_or_by_comparing_all(conversation, monkeypatch, all_compared):
    monkeypatch.setattr("cachemgr.services.lookup.ALL_COMPARED", all_compared)
    conversation.store()
    vector = conversation.embedder.embed_query(QUESTION)

    (nearest,) = find_nearest(scope=conversation.scope, vector=vector, now=NOW)

    assert nearest.similarity == pytest.approx(1.0)
    text = nearest_statement(conversation.scope, dimensions=len(vector))
    assert ("order by r.vector::halfvec" in text) is (all_compared == 0)
