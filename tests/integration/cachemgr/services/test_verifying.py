"""The optional verifier: a local cross-encoder, loaded as the reranker's is."""

import logging

import pytest

from cachemgr.types import HitKind, MissReason
from tests.integration.cachemgr.conftest import OTHER_WORDS
from tests.unit.knowledge.embedding.test_cross_encoder import save_cross_encoder

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return str(save_cross_encoder(tmp_path_factory.mktemp("tiny")))


def use_verifier(settings, model, threshold):
    settings.CRMIND_CACHE = {
        "SIMILARITY_THRESHOLD": 0.5,
        "VERIFIER_MODEL": model,
        "VERIFIER_THRESHOLD": threshold,
    }


def test_look_up__the_verifier_agrees(conversation, settings, model):
    conversation.store()
    use_verifier(settings, model, 0.0)
    assert conversation.look_up(OTHER_WORDS).kind == HitKind.SEMANTIC


def test_look_up__the_verifier_refuses(conversation, settings, model):
    conversation.store()
    use_verifier(settings, model, 1.0)
    lookup = conversation.look_up(OTHER_WORDS)
    assert (lookup.kind, lookup.reason) == (HitKind.MISS, MissReason.GUARD)
    assert lookup.refused_by == ("verifier",)


def test_look_up__a_verifier_that_cannot_be_loaded_lets_nothing_pass(
    conversation, settings, tmp_path, caplog
):
    conversation.store()
    use_verifier(settings, str(tmp_path), 0.0)
    with caplog.at_level(logging.WARNING, logger="cachemgr.services.lookup"):
        lookup = conversation.look_up(OTHER_WORDS)
    assert (lookup.kind, lookup.refused_by) == (HitKind.MISS, ("verifier",))
    assert "not verified, so not served: " in caplog.text


def test_look_up__the_exact_question_needs_no_verifier(conversation, settings, tmp_path):
    conversation.store()
    use_verifier(settings, str(tmp_path), 1.0)
    assert conversation.look_up().kind == HitKind.EXACT
