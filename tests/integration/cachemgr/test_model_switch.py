"""Answers do not outlive the embedding model they were found by."""

from cachemgr.models import CachedResponse, InvalidationReason
from cachemgr.types import HitKind
from knowledge.models import EmbeddingSpace
from knowledge.signals import space_switched


def test_switch__takes_out_the_answers_of_the_model_left_also_after_going_back(conversation):
    new = EmbeddingSpace.objects.create(provider="hashing", model="other", dimensions=8)
    question = "Where is the grail?"
    conversation.store(key=conversation.offer(question))
    assert conversation.look_up(question).kind is HitKind.EXACT
    old_id = conversation.scope.space_id

    space_switched.send(sender="knowledge", left_id=old_id, entered_id=new.pk)
    space_switched.send(sender="knowledge", left_id=new.pk, entered_id=old_id)

    assert conversation.look_up(question).kind is HitKind.MISS
    assert CachedResponse.objects.get().invalidation_reason == InvalidationReason.MODEL_CHANGED
