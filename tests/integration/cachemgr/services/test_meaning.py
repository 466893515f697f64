"""Near twins and paraphrases with the vectors of the real model."""

import pytest

from cachemgr.services import forget
from cachemgr.types import HitKind, MissReason
from knowledge.embedding.registry import settings_embedder
from knowledge.models import EmbeddingSpace
from tests.integration.cachemgr.conftest import NOW, Conversation

pytestmark = [pytest.mark.acceptance, pytest.mark.django_db]

ENABLE = "How do I enable two-factor sign-in for agents?"


@pytest.fixture
def real(conversation):
    """The same conversation with the model that ships."""
    embedder = settings_embedder()
    spec = embedder.spec
    EmbeddingSpace.objects.filter(pk=conversation.scope.space_id).update(
        provider=spec.provider, model=spec.model, dimensions=spec.dimensions
    )
    return Conversation(scope=conversation.scope, embedder=embedder, chunk=conversation.chunk)


@pytest.mark.parametrize("threshold", [0.8, 0.4])
@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        (ENABLE, "How do I disable two-factor sign-in for agents?"),
        ("Can managers approve refunds?", "Can only managers approve refunds?"),
        ("Move tickets from tier 1 to tier 2", "Move tickets from tier 2 to tier 1"),
    ],
)
def test_look_up__the_opposite_question(real, settings, stored, asked, threshold):
    settings.CRMIND_CACHE = {"SIMILARITY_THRESHOLD": threshold}
    for first, second in ((stored, asked), (asked, stored)):
        response = real.store(key=real.offer(first))
        lookup = real.look_up(second)
        assert (lookup.kind, lookup.answer) == (HitKind.MISS, None)
        assert lookup.reason == MissReason.GUARD
        forget(response_id=response.pk, now=NOW)


def test_look_up__a_paraphrase_has_the_answer_of_its_meaning(real):
    for word in ("enable", "disable"):
        question = ENABLE.replace("enable", word)
        real.store(f"To {word} it, see [1].", key=real.offer(question))
    lookup = real.look_up("Steps to turn on 2FA for support staff")
    assert lookup.answer is None or lookup.answer.answer == "To enable it, see [1]."


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("Who owns the Acme account?", "who owns acme account"),
        ("What is the refund period?", "What's the refund period please"),
        ("How do I switch off email alerts?", "How can I disable email alerts?"),
        (
            "How long does delivery take from Rome to Oslo?",
            "From Rome to Oslo, how long does delivery take?",
        ),
    ],
)
def test_look_up__paraphrases_hit_at_the_shipped_threshold(real, stored, asked):
    response = real.store(key=real.offer(stored))
    lookup = real.look_up(asked)
    assert (lookup.kind, lookup.answer.response_id) == (HitKind.SEMANTIC, response.pk)
