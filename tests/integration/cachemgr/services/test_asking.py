"""Ask: an answer from the cache, else evidence and the key to store one."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.test import TestCase

from cachemgr.exceptions import StaleEvidenceError
from cachemgr.models import CacheEvent, StoreKey
from cachemgr.services import store_answer
from cachemgr.services.asking import AskRequest, ask
from cachemgr.types import CacheUse, HitKind, MissReason, Withheld
from knowledge.embedding.hashing import HashingEmbedder
from knowledge.exceptions import EmbeddingError, UnknownEntityError
from knowledge.models import EVERYONE, EmbeddingSpace
from knowledge.services import create_source
from retrieval.exceptions import InvalidQuestionError
from retrieval.query.parse import SearchRequest
from retrieval.seed import seed_profiles
from retrieval.types import Verdict
from tests.integration.cachemgr.conftest import NOW, put

pytestmark = pytest.mark.django_db

QUESTION = "What is the refund period?"
TAGS = frozenset({EVERYONE})


class UnavailableEmbedder(HashingEmbedder):
    """An embedder whose model does not answer."""

    def embed_query(self, text):
        raise EmbeddingError


@pytest.fixture
def handbook(seeded):
    seed_profiles()
    source = create_source(name="Handbook", type_slug="company_website")
    put(source, "refunds.md", "The refund period is 14 days.")
    put(source, "parking.md", "Visitors park behind the building.")
    return source


def asked(question=QUESTION, *, tags=TAGS, now=NOW, embedder=None, filters=None, **options):
    request = AskRequest(search=SearchRequest(question=question, **(filters or {})), **options)
    return ask(request, reader_tags=tags, embedder=embedder or HashingEmbedder(), now=now)


def stored(reply, answer="For 14 days [1].", *, tags=TAGS, now=NOW):
    return store_answer(key=reply.store_key, answer=answer, reader_tags=tags, now=now)


def test_ask__then_store_then_ask_again(handbook):
    first = asked()
    assert (first.lookup.kind, first.lookup.reason) == (HitKind.MISS, MissReason.NO_MATCH)
    assert first.result.judgment.verdict is Verdict.ANSWERABLE
    assert first.context.citations[0].text == "The refund period is 14 days."
    response = stored(first)
    again = asked("what is THE refund period")
    assert (again.lookup.kind, again.lookup.answer.response_id) == (HitKind.EXACT, response.pk)
    assert (again.result, again.context, again.store_key) == (None, None, None)
    assert again.lookup.answer.citations[0].text == "The refund period is 14 days."


def test_ask__other_words_then_changed_document(handbook, settings):
    settings.CRMIND_CACHE = {"SIMILARITY_THRESHOLD": 0.6}
    stored(asked())
    paraphrase = "what is the refund period for us, please"
    assert asked(paraphrase).lookup.kind == HitKind.SEMANTIC
    put(handbook, "refunds.md", "The refund period is 21 days.")
    reply = asked(paraphrase)
    assert reply.lookup.kind == HitKind.MISS
    assert reply.context.citations[0].text == "The refund period is 21 days."
    stored(reply, "For 21 days [1].")
    assert asked(paraphrase).lookup.answer.answer == "For 21 days [1]."


def test_ask__no_evidence(handbook):
    reply = asked("vrolk tindabesh quoopal")
    assert reply.result.judgment.verdict is Verdict.NONE
    assert reply.store_key is None


def test_ask__only_of_what_the_reader_may_see(handbook):
    put(handbook, "floor.md", "The discount floor is 12 percent.", access_tags=("pricing",))
    question = "What is the discount floor?"
    insider = frozenset({EVERYONE, "pricing"})
    stored(asked(question, tags=insider), "12 percent [1].", tags=insider)
    assert asked(question, tags=insider).lookup.kind == HitKind.EXACT
    outsider = asked(question)
    assert outsider.lookup.kind == HitKind.MISS
    assert all("12" not in citation.text for citation in outsider.context.citations)
    narrowed = asked(question, tags=insider, filters={"access_tags": frozenset()})
    assert narrowed.lookup.kind == HitKind.MISS


@pytest.mark.parametrize(
    "options",
    [
        {"chat_model": "m-2"},
        {"language": "german"},
        {"filters": {"types": ("company_website",)}},
        {"filters": {"sources": ("Handbook",)}},
        {"filters": {"as_of": NOW}},
    ],
)
def test_ask__other_scope(handbook, options):
    stored(asked())
    assert asked(**options).lookup.reason == MissReason.NO_MATCH


def test_ask__says_that_an_answer_expired(handbook):
    stored(asked())
    assert asked(now=NOW + timedelta(days=30)).lookup.reason == MissReason.EXPIRED


def test_ask__conversation_of_a_question_that_depends_on_it(handbook):
    question = "And what is its refund period?"
    alone = asked(question)
    assert alone.lookup.reason == MissReason.NEEDS_CONVERSATION
    assert (alone.store_key, alone.withheld) == (None, Withheld.NOT_CACHEABLE)
    assert alone.context.citations
    stored(asked(question, conversation_id="c-1"))
    assert asked(question, conversation_id="c-1").lookup.kind == HitKind.EXACT
    assert asked(question, conversation_id="c-2").lookup.reason == MissReason.NO_MATCH
    assert asked(question).lookup.reason == MissReason.NEEDS_CONVERSATION


def test_ask__conversation_of_a_question_that_stands_alone(handbook):
    stored(asked(conversation_id="c-1"))
    assert asked(conversation_id="c-2").lookup.kind == HitKind.EXACT
    assert asked().lookup.kind == HitKind.EXACT


def test_ask__refresh_answers_anew_and_replaces(handbook):
    stored(asked(), "Old [1].")
    reply = asked(cache=CacheUse.REFRESH)
    assert reply.lookup.reason == MissReason.BYPASSED
    stored(reply, "New [1].", now=NOW + timedelta(seconds=1))
    assert asked(now=NOW + timedelta(seconds=2)).lookup.answer.answer == "New [1]."


@pytest.mark.parametrize("is_enabled", [True, False])
def test_ask__without_the_cache(handbook, settings, is_enabled):
    settings.CRMIND_CACHE = {"IS_ENABLED": is_enabled}
    reply = asked(cache=CacheUse.OFF if is_enabled else CacheUse.USE)
    expected = MissReason.BYPASSED if is_enabled else MissReason.SWITCHED_OFF
    assert reply.lookup.reason == expected
    assert reply.store_key is None
    assert reply.context.citations
    assert not StoreKey.objects.exists()


def test_ask__answers_that_count_from_today_hold_for_the_day(handbook):
    question = "What is the refund period this month?"
    stored(asked(question))
    assert asked(question, now=NOW + timedelta(hours=1)).lookup.kind == HitKind.EXACT
    assert asked(question, now=NOW + timedelta(days=1)).lookup.kind == HitKind.MISS


@pytest.mark.parametrize("use", [CacheUse.USE, CacheUse.REFRESH])
def test_ask__embedder_does_not_answer(handbook, use):
    reply = asked(embedder=UnavailableEmbedder(), cache=use)
    assert reply.result.is_degraded
    response = stored(reply)
    assert response.vector is None
    assert response.expires_at == NOW + timedelta(hours=1)
    assert asked().lookup.answer.response_id == response.pk
    # Other words find it neither with a model nor without.
    other = "What is the refund period for us?"
    assert asked(other).lookup.reason is MissReason.NO_MATCH
    assert asked(other, embedder=UnavailableEmbedder()).lookup.answer is None


def test_ask__any_newcomer_outdoes_what_was_answered_without_the_model(handbook):
    stored(asked(embedder=UnavailableEmbedder()))
    pending = asked("How long is the refund period?", embedder=UnavailableEmbedder())
    with TestCase.captureOnCommitCallbacks(execute=True):
        put(handbook, "canteen.md", "The canteen opens at noon.")
    assert asked().lookup.answer is None
    with pytest.raises(StaleEvidenceError):
        stored(pending)


def test_ask__embeds_once(handbook):
    class CountingEmbedder(HashingEmbedder):
        calls = 0

        def embed_query(self, text):
            type(self).calls += 1
            return super().embed_query(text)

    embedder = CountingEmbedder()
    stored(asked(embedder=embedder))
    assert CountingEmbedder.calls == 1
    asked(embedder=embedder)
    assert CountingEmbedder.calls == 1


def test_ask__nothing_is_embedded_yet(seeded):
    seed_profiles()
    reply = asked()
    assert (reply.lookup.reason, reply.store_key) == (MissReason.NOT_EMBEDDED, None)
    assert not EmbeddingSpace.objects.exists()


@pytest.mark.parametrize(
    ("filters", "error"),
    [({"question": " "}, InvalidQuestionError), ({"entity": "Nobody"}, UnknownEntityError)],
)
def test_ask__invalid_request_counts_and_stores_nothing(handbook, filters, error):
    request = AskRequest(search=replace(SearchRequest(question=QUESTION), **filters))
    with pytest.raises(error):
        ask(request, reader_tags=TAGS, embedder=HashingEmbedder(), now=NOW)
    assert not CacheEvent.objects.exists()
    assert not StoreKey.objects.exists()
