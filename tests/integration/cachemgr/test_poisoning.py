"""What must not be cached is refused with a clear code, however it comes."""

from dataclasses import replace
from datetime import timedelta
from itertools import product
from uuid import uuid4

import pytest

from cachemgr.exceptions import AnswerRefusedError
from cachemgr.models import CachedResponse, CacheEvent
from cachemgr.services import read_answer
from cachemgr.types import HitKind, MissReason
from knowledge.embedding.hashing import HashingEmbedder
from knowledge.exceptions import SpaceMismatchError
from knowledge.models import EVERYONE, EmbeddingSpace, SpaceStatus
from tests.integration.cachemgr.conftest import NOW, QUESTION, SPEC, in_seconds

pytestmark = pytest.mark.django_db

FAILURES = (
    "Error: 429 Too Many Requests",
    "429",
    "HTTP 500",
    "500 Internal Server Error",
    "status code: 503",
    "Error: the model is overloaded",
    "Traceback (most recent call last):",
    "Rate limit reached for requests",
    "Bad gateway",
    "Service unavailable",
    "The request timed out. Request timed out.",
)
EMPTY = ("", " ", "\n\t", "\u3000", "\r\n \r\n")
REFUSALS = (
    "I don't know.",
    "I do not have enough information.",
    "Sorry, I cannot answer that.",
    "I'm not sure about this.",
    "The documents do not mention the refund period.",
    "As an AI, I have no access to that.",
    "Ich weiß es nicht.",
    "Je ne sais pas.",
    "No lo sé.",
    "Non lo so.",
)
TRUNCATED = (
    "The refund period is",
    "For 14 days, and",
    "```\nselect 1",
    "It depends:",
    "14 days, …",
)
MARKED = ("{}", "{} [1]", "[1] {}")


def poisoned():
    yield from EMPTY
    for text, form in product((*FAILURES, *REFUSALS), MARKED):
        yield form.format(text)
    for text in TRUNCATED:
        yield from (f"For 14 days [1]. {text}", f"[1] {text}", text)
    # A bare number may begin a sentence.
    for text in (*FAILURES, *REFUSALS):
        if not text.isdecimal():
            yield f"{text} Please try again later [1]."


def test_store_answer__nothing_poisoned_is_stored(conversation):
    answers = list(poisoned())
    assert len(answers) >= 100
    key = conversation.offer()
    for answer in answers:
        with pytest.raises(AnswerRefusedError):
            conversation.store(answer, key=key)
    assert not CachedResponse.objects.exists()
    refused = CacheEvent.objects.filter(outcome="refused_answer_refused")
    assert refused.count() == len(answers)
    assert conversation.store(key=key).answer


@pytest.mark.parametrize("value", [0.0, float("nan"), float("inf")])
def test_look_up__vector_that_is_none(conversation, value):
    class Broken(HashingEmbedder):
        def embed_query(self, text):
            return super().embed_query(text) * 0 + value

    conversation.store()
    conversation.embedder = Broken()
    lookup = conversation.look_up("What about refunds, please?")
    assert (lookup.reason, lookup.vector) == (MissReason.NOT_EMBEDDED, None)
    assert conversation.look_up().kind is HitKind.EXACT


@pytest.fixture
def exchanged(conversation):
    """Store an answer and ask another question, then exchange the embedding model."""
    newer = EmbeddingSpace.objects.create(
        provider=SPEC.provider, model="newer", dimensions=SPEC.dimensions
    )
    response = conversation.store()
    key = conversation.offer("Who leads the sales team?")
    EmbeddingSpace.objects.filter(pk=conversation.scope.space_id).update(status=SpaceStatus.RETIRED)
    EmbeddingSpace.objects.filter(pk=newer.pk).update(status=SpaceStatus.ACTIVE)
    return conversation, newer, response, key


def test_retired_space__its_answers_are_not_served(exchanged):
    conversation, newer, response, _ = exchanged
    scope = replace(conversation.scope, space_id=newer.pk)
    assert conversation.look_up(scope=scope).reason == MissReason.NO_MATCH
    with pytest.raises(Exception, match="no such cached response"):
        read_answer(response_id=response.pk, reader_tags=frozenset({EVERYONE}), now=NOW)


def test_retired_space__nothing_is_stored_in_it(exchanged):
    conversation, _, _, key = exchanged
    with pytest.raises(SpaceMismatchError, match="embedding model was exchanged") as caught:
        conversation.store(key=key)
    assert (caught.value.code, caught.value.field) == ("embedding_space_mismatch", "store_key")


def test_clock_set_back__age_is_never_negative(conversation):
    conversation.store(now=in_seconds(3_600))
    lookup = conversation.look_up(now=NOW)
    assert (lookup.kind, lookup.age_seconds) == (HitKind.EXACT, 0.0)


def test_clock_set_back__while_the_model_answers(conversation):
    key = conversation.offer(now=in_seconds(3_600))
    response = conversation.store(key=key, now=NOW)
    assert response.expires_at == NOW + timedelta(days=7)


def test_clock_set_forward__answers_expire_and_keys_end(conversation):
    conversation.store()
    key = conversation.offer()
    later = NOW + timedelta(days=8)
    assert conversation.look_up(now=later).reason == MissReason.EXPIRED
    with pytest.raises(Exception, match="no such store key"):
        conversation.store(key=key, now=later)
    with pytest.raises(Exception, match="no such store key"):
        conversation.store(key=uuid4())


def test_store_answer__as_long_as_allowed_and_longer(conversation):
    longest = "x" * (65_536 - len(" [1].")) + " [1]."
    assert conversation.store(longest).answer == longest
    with pytest.raises(AnswerRefusedError, match="65,537 bytes; at most 65,536"):
        conversation.store("x" + longest)
    assert conversation.look_up(QUESTION).answer.answer == longest
