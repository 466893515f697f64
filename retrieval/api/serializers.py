"""Input and output of searches."""

from dataclasses import replace
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from knowledge.api.strict import StrictSerializer, TextField
from retrieval.exceptions import InvalidFilterError
from retrieval.query.moments import parse_moment
from retrieval.query.parse import SearchRequest, as_of_moment
from retrieval.query.steps import EVERY_STEP, NO_STEP, Step, steps_without
from retrieval.ranking.profile import Profile
from retrieval.types import (
    Citation,
    Context,
    Duplicate,
    Hit,
    Judgment,
    Receipt,
    SearchResult,
    Verdict,
)
from retrieval.why_not import WantedDocument, WhyNot

LARGEST_ID = 2**63 - 1


class MomentField(TextField):
    """A day (2031-03-31) or an instant (2031-03-31T18:45:00Z)."""

    def to_internal_value(self, data: Any) -> Any:
        """Return the day or the instant. Raises ValidationError."""
        try:
            return parse_moment(super().to_internal_value(data), field=str(self.field_name))
        except InvalidFilterError as error:
            raise serializers.ValidationError(error.message, code=error.code) from error


@extend_schema_field(
    {
        "default": True,
        "oneOf": [
            {"type": "boolean"},
            {
                "type": "object",
                "properties": {step.value: {"type": "boolean"} for step in Step},
                "additionalProperties": False,
            },
        ],
    }
)
class StepsField(serializers.Field[frozenset[Step], Any, Any, Any]):
    """Whether to understand the question: true, false, or which steps of it not to take."""

    def to_internal_value(self, data: Any) -> frozenset[Step]:
        """Return the steps that are to be taken. Raises ValidationError."""
        if isinstance(data, bool):
            return EVERY_STEP if data else NO_STEP
        if not isinstance(data, dict) or not all(isinstance(each, bool) for each in data.values()):
            message = 'Give true, false or an object of steps, such as {"synonyms": false}.'
            raise serializers.ValidationError(message, code="invalid")
        try:
            named = steps_without(data)
        except InvalidFilterError as error:
            raise serializers.ValidationError(error.message, code=error.code) from error
        return named | {Step(name) for name, is_taken in data.items() if is_taken}


def _names(help_text: str) -> serializers.ListField:
    return serializers.ListField(
        child=TextField(max_length=300),
        required=False,
        default=list,
        max_length=100,
        help_text=help_text,
    )


class SearchInput(StrictSerializer):
    """A question and what it is limited to."""

    question = TextField(allow_blank=True, trim_whitespace=False)
    entity = TextField(
        required=False,
        default="",
        allow_blank=True,
        max_length=300,
        help_text="Name, alias, external id or id of what it is about.",
    )
    types = _names("Slugs of source types.")
    sources = _names("Names of sources.")
    since = MomentField(required=False, help_text="First day or instant of publication.")
    until = MomentField(required=False, help_text="Last day or instant of publication.")
    access_tags = serializers.ListField(
        child=TextField(max_length=63),
        required=False,
        help_text="Search as a reader with only these of the key's tags, and everyone.",
    )
    as_of = MomentField(
        required=False, help_text="Ask as if it were then: later documents do not exist."
    )
    top_k = serializers.IntegerField(required=False, default=10, help_text="1 to 100.")
    profile = TextField(
        required=False, default="", allow_blank=True, help_text="Ranking profile; empty: default."
    )
    understanding = StepsField(
        required=False,
        help_text=(
            "False: look the question up as it stands, word for word. An object leaves single"
            ' steps out, such as {"synonyms": false}.'
        ),
    )

    def search_request(self) -> SearchRequest:
        """Return the validated request."""
        values: dict[str, Any] = self.validated_data
        tags = values.get("access_tags")
        return SearchRequest(
            question=values["question"],
            entity=values["entity"],
            types=tuple(values["types"]),
            sources=tuple(values["sources"]),
            since=values.get("since"),
            until=values.get("until"),
            access_tags=None if tags is None else frozenset(tags),
            as_of=as_of_moment(values.get("as_of")),
            top_k=values["top_k"],
            profile=values["profile"],
            steps=values.get("understanding", EVERY_STEP),
        )


class ContextInput(SearchInput):
    """A question, and how its evidence is to be laid out; the profile decides what is left out."""

    token_budget = serializers.IntegerField(required=False, min_value=50, max_value=100_000)
    max_passages = serializers.IntegerField(required=False, min_value=1, max_value=100)
    order = serializers.ChoiceField(choices=["rank", "edges"], required=False)

    def applied_to(self, profile: Profile) -> Profile:
        """Return the profile with the layout that was asked for."""
        values: dict[str, Any] = self.validated_data
        return replace(
            profile,
            context_tokens=values.get("token_budget", profile.context_tokens),
            context_passages=values.get("max_passages", profile.context_passages),
            context_order=values.get("order", profile.context_order),
        )


class WhyNotInput(SearchInput):
    """A question, and the document that is missed among its hits."""

    document_id = serializers.IntegerField(
        required=False, min_value=1, max_value=LARGEST_ID, help_text="Or external_id."
    )
    external_id = TextField(required=False, default="", allow_blank=True, max_length=500)
    source = TextField(  # type: ignore[assignment] # an input called like an attribute of fields
        required=False,
        default="",
        allow_blank=True,
        max_length=300,
        help_text="Name of its source, where external_id alone is not clear.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Ask for the document. Raises ValidationError."""
        checked: dict[str, Any] = super().validate(attrs)
        if "document_id" not in checked and not checked["external_id"]:
            message = "Name the document: give document_id or external_id."
            raise serializers.ValidationError({"document_id": message}, code="required")
        return checked

    def wanted(self) -> WantedDocument:
        """Return the document asked about."""
        values: dict[str, Any] = self.validated_data
        return WantedDocument(
            document_id=values.get("document_id"),
            source=values["source"],
            external_id=values["external_id"],
        )


class WhyNotOutput(serializers.Serializer[WhyNot]):
    """Where the document stands, or what kept it out."""

    document_id = serializers.IntegerField()
    external_id = serializers.CharField()
    title = serializers.CharField()
    source_name = serializers.CharField()
    rank = serializers.IntegerField(
        allow_null=True, help_text="Place among all that was ranked; null when it was not."
    )
    top_k = serializers.IntegerField()
    keyword_score = serializers.FloatField(
        allow_null=True, help_text="Of its best passage, found by the arm or not."
    )
    similarity = serializers.FloatField(allow_null=True)
    reasons = serializers.ListField(child=serializers.CharField(), help_text="In words.")


class ReceiptOutput(serializers.Serializer[Receipt]):
    """Every number behind a score."""

    keyword_rank = serializers.IntegerField(
        allow_null=True, help_text="Null beyond the depth of the arm; so is vector_rank."
    )
    keyword_score = serializers.FloatField(allow_null=True)
    vector_rank = serializers.IntegerField(allow_null=True)
    vector_score = serializers.FloatField(allow_null=True)
    relevance = serializers.FloatField()
    freshness = serializers.FloatField()
    age_days = serializers.FloatField(allow_null=True)
    half_life_days = serializers.FloatField()
    trust = serializers.FloatField()
    authority = serializers.FloatField()
    blend = serializers.ChoiceField(choices=["classic", "bounded"])
    weights = serializers.DictField(child=serializers.FloatField())
    boosts = serializers.DictField(child=serializers.FloatField())
    cap = serializers.CharField(help_text="The cap that moved the hit down, or empty.")
    successor_id = serializers.IntegerField(
        allow_null=True, help_text="Document that replaces this one, where it was found too."
    )
    superseded_by = serializers.CharField(help_text="Title of that document, or empty.")
    rerank_score = serializers.FloatField(
        allow_null=True, help_text="Relevance as a reranker judged it, where one did."
    )
    score = serializers.FloatField()


class DuplicateOutput(serializers.Serializer[Duplicate]):
    """A passage of another document that says the same."""

    chunk_id = serializers.IntegerField()
    document_id = serializers.IntegerField()
    title = serializers.CharField()
    source_name = serializers.CharField()


class HitOutput(serializers.Serializer[Hit]):
    """A ranked passage."""

    rank = serializers.IntegerField()
    score = serializers.FloatField()
    chunk_id = serializers.IntegerField(source="evidence.chunk_id")
    document_id = serializers.IntegerField(source="evidence.document_id")
    external_id = serializers.CharField(source="evidence.external_id")
    title = serializers.CharField(source="evidence.title")
    url = serializers.CharField(source="evidence.url")
    source_name = serializers.CharField(source="evidence.source_name")
    source_type = serializers.CharField(source="evidence.source_type")
    published_at = serializers.DateTimeField(source="evidence.published_at", allow_null=True)
    heading_path = serializers.ListField(
        child=serializers.CharField(), source="evidence.heading_path"
    )
    prefix = serializers.CharField(source="evidence.prefix")
    text = serializers.CharField(source="evidence.text")
    start = serializers.IntegerField(source="evidence.start")
    end = serializers.IntegerField(source="evidence.end")
    is_superseded = serializers.BooleanField(source="evidence.is_superseded")
    coverage = serializers.FloatField(source="evidence.coverage")
    receipt = ReceiptOutput()
    duplicates = DuplicateOutput(many=True)


class JudgmentOutput(serializers.Serializer[Judgment]):
    """Whether the evidence suffices, and why."""

    verdict = serializers.ChoiceField(choices=[verdict.value for verdict in Verdict])
    reasons = serializers.ListField(child=serializers.CharField())
    best_similarity = serializers.FloatField()
    best_coverage = serializers.FloatField()
    confidence = serializers.FloatField()


class SearchOutput(serializers.Serializer[SearchResult]):
    """The answer to a search."""

    question = serializers.CharField(source="query.question", help_text="As it was understood.")
    as_of = serializers.DateTimeField(source="query.as_of")
    profile = serializers.CharField()
    judgment = JudgmentOutput()
    hits = HitOutput(many=True)
    interpretation = serializers.DictField()
    exact = serializers.DictField(
        child=serializers.BooleanField(),
        help_text="By arm, whether every passage that could match was compared.",
    )
    complete = serializers.BooleanField(
        source="is_complete", help_text="False when a bound cut the search short."
    )
    degraded = serializers.BooleanField(
        source="is_degraded", help_text="True when only words were searched."
    )
    warnings = serializers.ListField(child=serializers.CharField())
    timings_ms = serializers.DictField(child=serializers.FloatField())


class CitationOutput(serializers.Serializer[Citation]):
    """What [number] in the context stands for."""

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


class AssembledContext(serializers.Serializer[Context]):
    """The evidence laid out for a language model; empty when there is none."""

    text = serializers.CharField()
    token_count = serializers.IntegerField()
    tokenizer = serializers.CharField(help_text="What counted them: that of the embedding model.")
    citations = CitationOutput(many=True)


class ContextOutput(SearchOutput):
    """The answer to a search with its context."""

    context = AssembledContext()  # type: ignore[assignment] # an output called like an attribute of fields


def search_body(result: SearchResult) -> dict[str, Any]:
    """Return the result of a search as the API shows it."""
    return dict(SearchOutput(result).data)


def context_body(result: SearchResult, context: Context) -> dict[str, Any]:
    """Return the result of a search with its context as the API shows it."""
    return {**search_body(result), "context": dict(AssembledContext(context).data)}
