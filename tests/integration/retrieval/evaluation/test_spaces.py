"""Two models compared by the golden questions, before one takes the other's place."""

import numpy as np
import pytest

from knowledge.embedding.choice import ModelChoice
from knowledge.embedding.hashing import HashingEmbedder
from knowledge.exceptions import ReembeddingError
from knowledge.models import Document, EmbeddingSpace, SpaceStatus
from knowledge.services.reembedding import begin_reembedding, fill_space
from knowledge.services.space_switch import switch_space
from retrieval.evaluation.spaces import compare_on_golden_set
from retrieval.models import RankingProfile
from tests.factories.retrieval import GoldenQuestionFactory, JudgementFactory
from tests.integration.retrieval.conftest import NOW

NARROW = ModelChoice(provider="hashing", model="hashed-words-1", dimensions=64)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def judged(castle):
    """Ask by meaning alone for two of the four documents."""
    RankingProfile.objects.update(keyword_weight=0.0, vector_weight=1.0)
    for name, question in (
        ("grail.txt", "The grail is in the castle of Anthrax."),
        ("rabbit.txt", "A holy hand grenade is good against the rabbit of Caerbannog."),
    ):
        document = Document.objects.get(external_id=name)
        JudgementFactory(question=GoldenQuestionFactory(text=question), document=document, grade=3)
    return castle


def fill():
    space = begin_reembedding(NARROW)
    fill_space(space, on_progress=lambda _: None)
    space.refresh_from_db()
    return space


def test_compare__as_good(judged):
    space = fill()

    assert space.comparison == {
        "with": "hashed-words-1 (384)",
        "question_count": 2,
        "old_ndcg": 1.0,
        "new_ndcg": 1.0,
        "better": 0,
        "worse": 0,
    }
    switch_space(space=space, now=NOW)


def test_compare__a_model_that_mixes_up_everything_is_not_switched_to(judged, monkeypatch):
    embed = HashingEmbedder.embed_query

    def mix_up(self, text):
        vector = embed(self, text)
        return -np.roll(vector, 7) if len(vector) == 64 else vector

    monkeypatch.setattr(HashingEmbedder, "embed_query", mix_up)
    space = fill()

    assert space.comparison["old_ndcg"] == 1.0
    assert space.comparison["new_ndcg"] < 0.9
    assert space.comparison["better"] == 0
    assert space.comparison["worse"] > 0
    with pytest.raises(ReembeddingError, match="answers the golden questions worse"):
        switch_space(space=space, now=NOW)
    assert EmbeddingSpace.objects.get(status=SpaceStatus.ACTIVE).dimensions == 384


def test_compare__without_judged_questions(castle):
    GoldenQuestionFactory(text="Who is that?")
    space = fill()
    old = EmbeddingSpace.objects.get(status=SpaceStatus.ACTIVE)

    assert space.comparison == {}
    assert compare_on_golden_set(old_id=old.pk, new_id=space.pk, now=NOW) is None
