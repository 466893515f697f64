"""Input and output of cached responses."""

from typing import Any

from rest_framework import serializers

from cachemgr.types import CachedAnswer
from knowledge.api.strict import StrictSerializer, TextField
from retrieval.types import Citation


class CitedPassage(serializers.Serializer[Citation]):
    """A passage that [number] in the answer stands for, as it is now."""

    number = serializers.IntegerField()
    chunk_ids = serializers.ListField(child=serializers.IntegerField())
    document_id = serializers.IntegerField()
    title = serializers.CharField()
    url = serializers.CharField()
    source_name = serializers.CharField()
    source_type = serializers.CharField()
    published_at = serializers.DateTimeField(allow_null=True)
    trust = serializers.FloatField()
    start = serializers.IntegerField(help_text="First character in the text of the document.")
    end = serializers.IntegerField(help_text="Character after the last one.")
    text = serializers.CharField()


class ResponseInput(StrictSerializer):
    """An answer to store."""

    store_key = serializers.UUIDField(help_text="From the reply of ask/; serves once.")
    answer = TextField(trim_whitespace=False, allow_blank=True)
    citations = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=999),
        required=False,
        allow_null=True,
        default=None,
        help_text="Numbers of the evidence used, besides the marks [n] in the answer.",
    )
    model_name = TextField(max_length=200, required=False, default="", allow_blank=True)


class ResponseOutput(serializers.Serializer[CachedAnswer]):
    """A cached response."""

    id = serializers.UUIDField(source="response_id")
    question = serializers.CharField()
    answer = serializers.CharField()
    model_name = serializers.CharField()
    citations = CitedPassage(many=True)
    hit_count = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()


class FeedbackInput(StrictSerializer):
    """What a reader says of a cached response; "wrong" forgets it."""

    verdict = serializers.ChoiceField(choices=["right", "wrong"])


def response_body(answer: CachedAnswer) -> dict[str, Any]:
    """Return one cached response as the API shows it."""
    return dict(ResponseOutput(answer).data)
