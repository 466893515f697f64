"""Answers do not outlive the embedding model they were found by."""

from dataclasses import replace

import pytest

from cachemgr.models import CachedResponse, InvalidationReason
from cachemgr.types import HitKind, MissReason
from knowledge.embedding.registry import embedder_of
from knowledge.services import find_active_space
from knowledge.services.reembedding import begin_reembedding, fill_space
from knowledge.services.space_choice import new_choice
from knowledge.services.space_switch import switch_space
from tests.integration.cachemgr.conftest import NOW, OTHER_WORDS, QUESTION


@pytest.mark.django_db(transaction=True)
def test_switch__takes_out_the_answers_of_the_model_left_also_after_going_back(
    conversation, settings
):
    settings.CRMIND_CACHE = {"SIMILARITY_THRESHOLD": 0.6}
    conversation.store()
    assert conversation.look_up(OTHER_WORDS).kind is HitKind.SEMANTIC
    old = find_active_space()
    new = begin_reembedding(new_choice(provider="hashing", model="hashed", dimensions=64))
    fill_space(new, on_progress=lambda _: None)

    for space in (new, old):
        switch_space(space=space, now=NOW)
        scope = replace(conversation.scope, space_id=space.pk)
        conversation.embedder = embedder_of(space)
        for question in (QUESTION, OTHER_WORDS):
            lookup = conversation.look_up(question, scope=scope)
            assert lookup.reason is MissReason.NO_MATCH
    assert CachedResponse.objects.get().invalidation_reason == InvalidationReason.MODEL_CHANGED
