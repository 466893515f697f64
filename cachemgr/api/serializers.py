"""Input and output of questions asked and of cached responses."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from cachemgr.services.asking import AskRequest, Reply
from cachemgr.types import CachedAnswer, CacheUse, HitKind, Lookup, MissReason, Withheld
from knowledge.api.strict import StrictSerializer, TextField
from retrieval.api.serializers import CitationOutput, ContextOutput, SearchInput, context_body


@extend_schema_field(
    {"oneOf": [{"type": "boolean"}, {"type": "string", "enum": [CacheUse.REFRESH.value]}]}
)
class CacheUseField(serializers.Field[CacheUse, Any, Any, Any]):
    """`true`, `false` or "refresh"."""

    default_error_messages = {"invalid": 'Give true, false or "refresh".'}

    def to_internal_value(self, data: Any) -> CacheUse:
        """Return what is wanted of the cache. Raises ValidationError."""
        if data is True:
            return CacheUse.USE
        if data is False:
            return CacheUse.OFF
        if data != CacheUse.REFRESH.value:
            self.fail("invalid")
        return CacheUse.REFRESH


class AskInput(SearchInput):
    """A question, what it is limited to, and what its answer depends on."""

    conversation_id = TextField(
        max_length=200,
        required=False,
        default="",
        allow_blank=True,
        help_text="An answer that depends on what was said stays in its conversation.",
    )
    chat_model = TextField(
        max_length=200,
        required=False,
        default="",
        allow_blank=True,
        help_text="Model that will answer; answers of another are not served.",
    )
    language = TextField(
        max_length=63,
        required=False,
        default="",
        allow_blank=True,
        help_text="Language the answer is to be written in.",
    )
    cache = CacheUseField(
        required=False,
        default=CacheUse.USE,
        help_text='false: neither look nor store; "refresh": answer anew and store.',
    )
    cache_threshold = serializers.FloatField(
        required=False,
        default=0.0,
        min_value=0.0,
        max_value=1.0,
        help_text="Similarity a stored question must exceed; it only raises the setting.",
    )

    def ask_request(self) -> AskRequest:
        """Return the validated request."""
        values: dict[str, Any] = self.validated_data
        return AskRequest(
            search=self.search_request(),
            conversation_id=values["conversation_id"],
            chat_model=values["chat_model"],
            language=values["language"],
            cache=values["cache"],
            similarity_threshold=values["cache_threshold"],
        )


class LookupOutput(serializers.Serializer[Lookup]):
    """How the look-up in the cache ended."""

    kind = serializers.ChoiceField(choices=[kind.value for kind in HitKind])
    similarity = serializers.FloatField(
        allow_null=True, help_text="Of the question served, or of the nearest one refused."
    )
    age_seconds = serializers.FloatField(allow_null=True)
    matched_question = serializers.CharField(
        source="answer.question", default=None, allow_null=True
    )
    response_id = serializers.UUIDField(source="answer.response_id", default=None, allow_null=True)
    reason = serializers.ChoiceField(
        choices=[reason.value for reason in MissReason],
        allow_null=True,
        help_text="Why it is a miss.",
    )
    refused_by = serializers.ListField(
        child=serializers.CharField(), help_text="Guards that refused the nearest question."
    )


class CachedReply(serializers.Serializer[Reply]):
    """The reply to a question that was answered before."""

    cache = LookupOutput(source="lookup")
    answer = serializers.CharField(source="lookup.answer.answer")
    citations = CitationOutput(source="lookup.answer.citations", many=True)


class EvidenceReply(ContextOutput):
    """The reply to any other question: the same as of context/, and the key to store an answer."""

    cache = LookupOutput(source="lookup")
    store_key = serializers.UUIDField(
        allow_null=True, help_text="Null when an answer may not be stored; see store_key_withheld."
    )
    store_key_withheld = serializers.ChoiceField(
        choices=[reason.value for reason in Withheld],
        allow_null=True,
        help_text="Why there is no key: nothing to cite, not cacheable, or somebody else answers.",
    )


def reply_body(reply: Reply) -> dict[str, Any]:
    """Return the reply to a question as the API shows it."""
    if reply.result is None or reply.context is None:
        return dict(CachedReply(reply).data)
    return {
        "cache": dict(LookupOutput(reply.lookup).data),
        "store_key": str(reply.store_key) if reply.store_key else None,
        "store_key_withheld": reply.withheld.value if reply.withheld else None,
        **context_body(reply.result, reply.context),
    }


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
    citations = CitationOutput(many=True)
    hit_count = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()


class FeedbackInput(StrictSerializer):
    """What a reader says of a cached response; "wrong" forgets it."""

    verdict = serializers.ChoiceField(choices=["right", "wrong"])


def response_body(answer: CachedAnswer) -> dict[str, Any]:
    """Return one cached response as the API shows it."""
    return dict(ResponseOutput(answer).data)
