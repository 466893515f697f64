"""Equal questions at once: one is answered, the others wait for that answer."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier, Event
from time import monotonic, sleep

import pytest
from django.db import connection, connections

from cachemgr.exceptions import AnswerRefusedError
from cachemgr.models import AnswerLease, CachedResponse, StoreKey
from cachemgr.services import leasing, store_answer
from cachemgr.services.asking import AskRequest, ask
from cachemgr.services.leasing import release_lease, take_lease
from cachemgr.types import CacheUse, HitKind, Withheld
from knowledge.embedding.hashing import HashingEmbedder, RegexTokenizer
from knowledge.embedding.limited import TimeLimitedEmbedder
from knowledge.ingestion.types import ParsedDocument
from knowledge.models import EVERYONE
from knowledge.seed import seed_source_types
from knowledge.services import create_source, store_document
from retrieval.query.parse import SearchRequest
from retrieval.seed import seed_profiles
from tests.integration.cachemgr.conftest import NOW, QUESTION, in_seconds

TAGS = frozenset({EVERYONE})
ASKERS = 100


@pytest.fixture
def handbook(transactional_db):
    """Give a document that answers the question, committed."""
    seed_source_types()
    seed_profiles()
    store_document(
        source=create_source(name="Handbook", type_slug="company_website"),
        parsed=ParsedDocument(external_id="refunds.md", text="The refund period is 14 days."),
        embedder=HashingEmbedder(),
        tokenizer=RegexTokenizer(),
        now=NOW,
    )


def asked(question=QUESTION, *, now=NOW, embedder=None, **options):
    request = AskRequest(search=SearchRequest(question=question), **options)
    return ask(request, reader_tags=TAGS, embedder=embedder or HashingEmbedder(), now=now)


def stored(reply, answer="For 14 days [1].", *, now=NOW):
    return store_answer(key=reply.store_key, answer=answer, reader_tags=TAGS, now=now)


def run_at_once(job, times):
    """Run a job in many threads, each with a connection of its own, all starting together."""
    barrier = Barrier(times)

    def run():
        try:
            barrier.wait(timeout=60)
            return job()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(times) as pool:
        futures = [pool.submit(run) for _ in range(times)]
        return [future.result(timeout=120) for future in futures]


def in_background(job):
    pool = ThreadPoolExecutor(1)

    def run():
        try:
            return job()
        finally:
            connections.close_all()

    future = pool.submit(run)
    pool.shutdown(wait=False)
    return future


def until(condition):
    deadline = monotonic() + 30
    while not condition():
        assert monotonic() < deadline
        sleep(0.01)


@pytest.fixture
def hundred_connections(transactional_db):
    """Skip where the server does not take as many connections."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW max_connections")
        (most,) = cursor.fetchone()
    if int(most) < ASKERS + 20:
        pytest.skip(f"the server takes {most} connections")


def test_ask__hundred_equal_questions_at_once(handbook, hundred_connections, settings):
    settings.CRMIND_CACHE = {"LEASE_SECONDS": 120, "WAIT_SECONDS": 120}
    calls, embedded = [], []

    class CountingEmbedder(HashingEmbedder):
        def embed_query(self, text):
            embedded.append(text)
            return super().embed_query(text)

    embedder = CountingEmbedder()

    def chat():
        reply = asked(embedder=embedder)
        if reply.lookup.answer is not None:
            return reply.lookup.answer.answer
        assert reply.store_key is not None
        calls.append(reply.store_key)
        sleep(0.5)
        return stored(reply).answer

    answers = run_at_once(chat, ASKERS)
    assert answers == ["For 14 days [1]."] * ASKERS
    assert len(calls) == len(embedded) == 1
    assert StoreKey.objects.count() == CachedResponse.objects.count() == 1
    assert not AnswerLease.objects.exists()


def test_ask__evidence_without_a_key_after_the_time_out(handbook, settings):
    settings.CRMIND_CACHE = {"WAIT_SECONDS": 0.2}
    first = asked()
    late = asked()
    assert (late.store_key, late.withheld) == (None, Withheld.BEING_ANSWERED)
    assert late.context.citations == first.context.citations
    assert stored(first).answer == "For 14 days [1]."


def test_ask__holder_that_dies_frees_the_lease_by_time(handbook, settings):
    settings.CRMIND_CACHE = {"LEASE_SECONDS": 0.3, "WAIT_SECONDS": 30}
    dead = asked()
    heir = asked()
    assert None not in (dead.store_key, heir.store_key)
    assert dead.store_key != heir.store_key
    # Slow is not dead: the first one may still store.
    stored(dead, "Late [1].")
    stored(heir, "Heir [1].")
    assert asked().lookup.answer.answer == "Heir [1]."


def test_ask__refused_answer_lets_the_next_one_answer(handbook, settings):
    settings.CRMIND_CACHE = {"LEASE_SECONDS": 120, "WAIT_SECONDS": 120}
    first = asked()
    waiting = in_background(asked)
    with pytest.raises(AnswerRefusedError):
        stored(first, "I don't know.")
    assert waiting.result(timeout=30).store_key is not None


def test_ask__waits_without_a_transaction(handbook, settings, monkeypatch):
    settings.CRMIND_CACHE = {"LEASE_SECONDS": 120, "WAIT_SECONDS": 120}
    states = []
    paused = Event()

    def watched(seconds):
        states.append(connection.in_atomic_block or connection.connection.info.transaction_status)
        paused.set()
        sleep(seconds)

    monkeypatch.setattr(leasing, "sleep", watched)
    first = asked()
    waiting = in_background(asked)
    assert paused.wait(timeout=30)
    stored(first)
    assert waiting.result(timeout=30).lookup.kind is HitKind.EXACT
    assert set(states) == {0}


def test_ask__no_more_wait_than_there_are_places(handbook, settings):
    settings.CRMIND_CACHE = {"LEASE_SECONDS": 120, "WAIT_SECONDS": 120, "MAX_WAITING": 1}
    first = asked()
    waiting = in_background(asked)
    until(lambda: leasing._waiting_room._count == 1)
    assert asked().withheld is Withheld.BEING_ANSWERED
    stored(first)
    assert waiting.result(timeout=30).lookup.kind is HitKind.EXACT
    assert leasing._waiting_room._count == 0


def test_ask__nothing_to_cite_frees_the_lease(handbook):
    replies = [asked("vrolk tindabesh quoopal") for _ in range(2)]
    assert [reply.withheld for reply in replies] == [Withheld.NO_EVIDENCE] * 2
    assert not AnswerLease.objects.exists()


def test_ask__failing_search_frees_the_lease(handbook, monkeypatch):
    def fail(*args, **options):
        raise RuntimeError

    monkeypatch.setattr("cachemgr.services.asking.search", fail)
    with pytest.raises(RuntimeError):
        asked()
    assert not AnswerLease.objects.exists()


def test_ask__refresh_does_not_wait(handbook):
    first = asked()
    refreshed = asked(cache=CacheUse.REFRESH)
    assert None not in (first.store_key, refreshed.store_key)
    stored(refreshed, "New [1].")
    assert asked().lookup.answer.answer == "New [1]."


def looked_up(conversation, *, now=NOW):
    return leasing.look_up_in_turn(
        question=QUESTION,
        scope=conversation.scope,
        find_meant=lambda moment: conversation.look_up("Why?", now=moment),
        now=now,
    )


@pytest.mark.django_db
def test_look_up_in_turn__inside_a_transaction_nobody_waits(conversation):
    take_lease(question=QUESTION, scope=conversation.scope, now=NOW)
    turn = looked_up(conversation)
    assert (turn.holder, turn.lookup.kind) == (None, HitKind.MISS)


@pytest.mark.django_db
def test_look_up_in_turn__answered_between_look_up_and_lease(conversation, monkeypatch):
    def store_first(**options):
        conversation.store()
        return take_lease(**options)

    monkeypatch.setattr(leasing, "take_lease", store_first)
    turn = looked_up(conversation, now=NOW + timedelta(seconds=1))
    assert (turn.holder, turn.lookup.kind) == (None, HitKind.EXACT)
    assert not AnswerLease.objects.exists()


def test_ask__many_questions_that_mean_one_with_an_answer(handbook, settings):
    settings.CRMIND_CACHE = {"SIMILARITY_THRESHOLD": 0.6}
    stored(asked())
    replies = run_at_once(lambda: asked("what is the refund period for us, please"), 20)
    assert [reply.lookup.kind for reply in replies] == [HitKind.SEMANTIC] * 20
    assert not AnswerLease.objects.exists()


@pytest.mark.django_db
def test_take_lease__one_at_a_time(conversation):
    question = {"question": QUESTION, "scope": conversation.scope}
    holder = take_lease(**question, now=NOW)
    assert holder is not None
    assert (
        take_lease(question="what is the REFUND period", scope=conversation.scope, now=NOW) is None
    )
    assert take_lease(question="Why?", scope=conversation.scope, now=NOW) is not None
    assert take_lease(**question, now=in_seconds(19.9)) is None
    heir = take_lease(**question, now=in_seconds(20))
    assert heir not in (None, holder)
    release_lease(holder)
    assert take_lease(**question, now=in_seconds(21)) is None
    release_lease(heir)
    assert take_lease(**question, now=in_seconds(21)) is not None


def test_ask__equal_questions_while_the_model_is_too_slow(handbook, settings):
    """One is answered from the words alone, the others get that answer."""
    settings.CRMIND_CACHE = {"LEASE_SECONDS": 120, "WAIT_SECONDS": 120}
    times = 20
    is_done = Event()

    class SlowEmbedder(HashingEmbedder):
        def embed_query(self, text):
            is_done.wait(timeout=60)
            return super().embed_query(text)

    embedder = TimeLimitedEmbedder(SlowEmbedder(), limit_ms=50)
    keys = []

    def chat():
        reply = asked(embedder=embedder)
        if reply.lookup.answer is not None:
            return reply.lookup.answer.answer
        assert reply.store_key is not None
        assert reply.result.is_degraded
        keys.append(reply.store_key)
        return stored(reply).answer

    try:
        answers = run_at_once(chat, times)
    finally:
        is_done.set()
    assert answers == ["For 14 days [1]."] * times
    assert len(keys) == 1
    response = CachedResponse.objects.get()
    assert response.vector is None
    assert not AnswerLease.objects.exists()
